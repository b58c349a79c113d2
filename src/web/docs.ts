// /docs: the interactive reference, generated from /openapi.json. Script and style come from this service; the content
// security policy below blocks every other source.
import { randomBytes } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import { AppError } from '../lib/errors.ts';

const PATHS = ['/docs', '/docs/', '/docs/js/scalar.js'];

export function docsRoutes(app: FastifyInstance): void {
  // The page contains no input of a caller, so one nonce for the whole process is enough for its script.
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
  for (const path of PATHS) {
    app.get(path, { config: { public: true }, schema: { hide: true } }, async (request, reply) => {
      reply.header('content-security-policy', policy);
      // The plugin makes a URL of the host.
      if (!URL.canParse(`http://${request.host}`)) {
        throw new AppError('malformed_request', 'The Host header is not a host.');
      }
      reference ??= loadReference(nonce);
      const page = await (await reference).inject({ url: request.url, headers: { host: request.host } });
      const { location, 'content-type': type } = page.headers;
      reply.code(page.statusCode);
      if (type !== undefined) reply.header('content-type', type);
      if (location !== undefined) reply.header('location', location);
      return reply.send(page.rawPayload);
    });
  }
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
