// /openapi.json, made from the schemas that validate.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { webhookDocuments } from '../../api/events.ts';
import { NOUNS } from '../../nouns.ts';
import { fixedAnswer } from './fixed-answer.ts';

/** A key may be in either header. */
const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const;

type Deps = { readonly version: string; readonly requiresKeys: boolean };

/** Call it before any route is added: it collects them. */
export async function collectOpenApi(app: FastifyInstance, { version, requiresKeys }: Deps): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.1',
      info: {
        title: 'Trilho',
        version,
        description: 'Charge in reais by pix and boleto, settle into crypto.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This service' }],
      ...(requiresKeys && { components: { securitySchemes: SECURITY } }),
      tags: NOUNS.flatMap(({ tags = [] }) => [...tags]),
    },
    // A schema is called by its own name.
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema-${index}`) },
  });
}

export function openApiRoutes(app: FastifyInstance): void {
  const answer = fixedAnswer('application/json; charset=utf-8', async () => openApiText(app));
  app.get('/openapi.json', { schema: { hide: true } }, answer);
}

/** The document as JSON text. */
export function openApiText(app: FastifyInstance): string {
  return JSON.stringify({ ...app.swagger(), webhooks: webhookDocuments() });
}
