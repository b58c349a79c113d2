// /openapi.json, made from the schemas that validate.
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import type { Mode } from '../lib/mode.ts';
import { webhookDocuments } from './event-types.ts';

/** A key goes into either header. */
const SECURITY = {
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
} as const;

type Deps = { readonly version: string; readonly mode: Mode };

/** Call it before any route is added: it watches them being added. */
export async function collectOpenApi(app: FastifyInstance, { version, mode }: Deps): Promise<void> {
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
      ...(mode === 'live' && { components: { securitySchemes: SECURITY } }),
      tags: [
        { name: 'Charges', description: 'What somebody is to pay, by pix or boleto.' },
        { name: 'Events', description: 'What happened, in order, to read or to follow.' },
        { name: 'Webhooks', description: 'Addresses that hear of events, and what they were sent.' },
        {
          name: 'Sandbox',
          description: 'What only a sandbox has: a payer to order about, a clock to move, weather to make.',
        },
        { name: 'Wallets', description: 'Where crypto is paid to.' },
        { name: 'Crypto quotes', description: 'What crypto costs, with a price that is locked for five minutes.' },
        { name: 'Crypto transactions', description: 'Orders of crypto and how far they are.' },
        { name: 'Ledger', description: 'Every movement of money and crypto, and what the books hold.' },
      ],
    },
    // A schema is called by its own name.
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json['$id'] ?? `schema-${index}`) },
  });
}

export function openApiRoutes(app: FastifyInstance): void {
  app.get('/openapi.json', { config: { public: true }, schema: { hide: true } }, async (_request, reply) => {
    reply.type('application/json; charset=utf-8');
    return JSON.stringify({ ...app.swagger(), webhooks: webhookDocuments() });
  });
}
