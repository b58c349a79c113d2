// /docs: the interactive reference, drawn from /openapi.json. Script and style come from this service; the policy below
// lets the page reach nothing else.
import { randomBytes } from 'node:crypto';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/errors.ts';

export async function docsRoutes(app: FastifyInstance): Promise<void> {
  // The page holds nothing of a caller's, so one nonce for the life of the process is enough to admit its own script.
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
  await app.register(scalar, {
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
    hooks: {
      onRequest: (request, reply, done) => {
        // The plugin makes a URL of the host.
        const isHost = URL.canParse(`http://${request.host}`);
        reply.header('content-security-policy', policy);
        done(isHost ? undefined : new AppError('malformed_request', 'The Host header is not a host.'));
      },
    },
  });
}
