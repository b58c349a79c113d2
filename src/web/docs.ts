// /docs: the interactive reference, generated from /openapi.json. Script and style come from this service; the content
// security policy below blocks every other source.
import { randomBytes } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import { fixedAnswer } from '../http/server/fixed-answer.ts';

const PAGE = '/docs/';
const SCRIPT = '/docs/js/scalar.js';
const OPTIONS = { schema: { hide: true } } as const;

export function docsRoutes(app: FastifyInstance): void {
  // The page contains no caller input, so one nonce for the whole process is enough for its script.
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  let reference: Promise<FastifyInstance> | undefined;
  /** The answer of the plugin; the same for every caller. */
  const read = async (url: string) => {
    reference ??= loadReference(nonce);
    return (await (await reference).inject({ url })).rawPayload;
  };
  const page = fixedAnswer('text/html; charset=utf-8', () => read(PAGE));
  const script = fixedAnswer('application/javascript; charset=utf-8', () => read(SCRIPT));
  app.get('/docs', OPTIONS, async (_request, reply) => reply.redirect(PAGE, 301));
  app.get(PAGE, OPTIONS, async (request, reply) => {
    reply.header('content-security-policy', policy);
    return page(request, reply);
  });
  app.get(SCRIPT, OPTIONS, script);
}

/**
 * The plugin on an inner server, loaded with the first request for the reference: it brings some 250 modules and a script of
 * several megabytes, and most processes never show the page.
 */
async function loadReference(nonce: string): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const server = fastify();
  await server.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Trilho reference',
      nonce,
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
    },
  });
  return server;
}
