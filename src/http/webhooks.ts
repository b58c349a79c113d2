// /webhooks: addresses that hear of events.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { DeliverDeps } from '../events/deliver.ts';
import { newSecret, secretText } from '../events/sign.ts';
import { placeEvents } from '../events/store-feed.ts';
import {
  changeWebhook,
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  readWebhooks,
  rotateSecret,
} from '../events/store-webhooks.ts';
import { BOTH_SECRETS_MS, MAX_WEBHOOKS, type Webhook } from '../events/webhook.ts';
import { apart, concerns } from '../lib/act.ts';
import { AppError, type Fault, invalidRequest } from '../lib/errors.ts';
import { isUuid, uuidV7 } from '../lib/ids.ts';
import { outgoingFault } from '../lib/outgoing-request.ts';
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { accountOf } from './auth.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { Text } from './schemas.ts';
import {
  SECRET_EXAMPLE,
  WEBHOOK_EXAMPLE,
  WEBHOOK_SCHEMAS,
  WebhookBody,
  WebhookChanges,
  webhookView,
} from './webhook-schemas.ts';

export const webhookParams = Type.Object({ id: Type.String({ format: 'uuid' }) });
type ById = { Params: { id: string } };

const { page, pageSize } = pageParameters;
const WebhooksQuery = Type.Object(
  { accountId: Type.Optional(Text({ description: 'Only those of this account.' })), page, pageSize },
  { additionalProperties: false },
);
const WebhooksPage = Type.Object(
  { webhooks: Type.Array(Type.Unsafe<object>({ $ref: 'Webhook#' })), ...pageCounts },
  { $id: 'WebhooksPage', additionalProperties: false },
);
const PAGE_EXAMPLE = { webhooks: [WEBHOOK_EXAMPLE], total: 1, totalPages: 1, currentPage: 1, hasMore: false };

const readBody = reader(WebhookBody, 'body');
const readChanges = reader(WebhookChanges, 'body');
const readQuery = reader(WebhooksQuery, 'query');
export const readNothing = reader(Type.Object({}, { additionalProperties: false }), 'body');

export function webhookRoutes(app: FastifyInstance, deps: DeliverDeps & { readonly pageSize: number }): void {
  for (const schema of WEBHOOK_SCHEMAS) app.addSchema(schema);
  app.addSchema(WebhooksPage);
  const shown = (description: string) => jsonResponse(Type.Unsafe({ $ref: 'Webhook#' }), description, WEBHOOK_EXAMPLE);
  const withSecret = (description: string) =>
    jsonResponse(Type.Unsafe({ $ref: 'WebhookWithSecret#' }), description, SECRET_EXAMPLE);

  app.post(
    '/webhooks',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'createWebhook',
        summary: 'Have events sent to an address',
        description: 'All that happens from now on. The answer alone shows the secret that signs.',
        tags: ['Webhooks'],
        body: Type.Unsafe({ $ref: 'NewWebhook#' }),
        response: {
          201: withSecret('The webhook, with its secret'),
          ...problemResponses('invalid_request', 'malformed_request', 'wrong_state'),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readBody(request.body);
      const allFaults = [...faults, ...(await checkUrl(deps, clean.url))];
      if (allFaults.length > 0) throw invalidRequest(allFaults);
      const accountId = accountOf(request, clean.accountId);
      if ((await countWebhooks(deps.db, accountId)) >= MAX_WEBHOOKS) {
        throw new AppError('wrong_state', `There are ${MAX_WEBHOOKS} webhooks already.`);
      }
      await deps.clock.refresh();
      const now = deps.clock.now();
      const secret = newSecret();
      const webhook: Webhook = {
        id: uuidV7(now),
        ...(accountId !== undefined && { accountId }),
        url: clean.url!,
        ...(clean.types && { types: [...new Set(clean.types)] }),
        enabled: clean.enabled ?? true,
        createdAt: now,
        updatedAt: now,
      };
      // What happened before has its place before, so that it is not sent.
      await apart(() => placeEvents(deps.db));
      await deps.db.transaction(async tx => {
        await insertWebhook(tx, webhook, secret);
        concerns(webhook.id);
      });
      reply.code(201).header('location', `/webhooks/${webhook.id}`);
      return { ...webhookView(webhook), secret: secretText(secret) };
    },
  );

  app.get(
    '/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List webhooks',
        description: 'Newest first.',
        tags: ['Webhooks'],
        querystring: WebhooksQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'WebhooksPage#' }), 'A page of webhooks', PAGE_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async request => {
      const { clean, faults } = readQuery(request.query);
      if (faults.length > 0) throw invalidRequest(faults);
      const query = toPageQuery(clean, deps.pageSize);
      const { webhooks, total } = await readWebhooks(deps.db, query, accountOf(request, clean.accountId));
      return { webhooks: webhooks.map(webhookView), ...countPages(total, query) };
    },
  );

  app.get<ById>(
    '/webhooks/:id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhook',
        summary: 'Read a webhook',
        tags: ['Webhooks'],
        params: webhookParams,
        response: { 200: shown('The webhook'), ...problemResponses('malformed_request', 'not_found') },
      },
    },
    async request => webhookView(await requireWebhook(deps.db, request)),
  );

  app.patch<ById>(
    '/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'changeWebhook',
        summary: 'Change a webhook',
        description:
          'What is not named stays. One that was disabled is sent everything it missed when it is enabled again.',
        tags: ['Webhooks'],
        params: webhookParams,
        body: Type.Unsafe({ $ref: 'WebhookChanges#' }),
        response: {
          200: shown('The webhook as it is then'),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const { clean, faults } = readChanges(request.body);
      const allFaults = [...faults, ...(await checkUrl(deps, clean.url))];
      if (allFaults.length > 0) throw invalidRequest(allFaults);
      await deps.clock.refresh();
      const types = clean.types && [...new Set(clean.types)];
      const changes = { url: clean.url, types, enabled: clean.enabled };
      const { id } = await requireWebhook(deps.db, request);
      const now = deps.clock.now();
      return webhookView(present(await deps.db.transaction(tx => changeWebhook(tx, id, changes, now))));
    },
  );

  app.delete<ById>(
    '/webhooks/:id',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        description: 'Nothing is sent to it any more, and its deliveries are gone with it.',
        tags: ['Webhooks'],
        params: webhookParams,
        response: { 200: shown('The webhook as it was'), ...problemResponses('malformed_request', 'not_found') },
      },
    },
    async request => {
      await deps.clock.refresh();
      const { id } = await requireWebhook(deps.db, request);
      const now = deps.clock.now();
      return webhookView(present(await deps.db.transaction(tx => deleteWebhook(tx, id, now))));
    },
  );

  app.post<ById>(
    '/webhooks/:id/rotate-secret',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Get a new secret',
        description: 'For a day both secrets sign, so that a receiver can change over; then the old one is forgotten.',
        tags: ['Webhooks'],
        params: webhookParams,
        response: {
          200: withSecret('The webhook, with its new secret'),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const { faults } = readNothing(request.body ?? {});
      if (faults.length > 0) throw invalidRequest(faults);
      await deps.clock.refresh();
      const now = deps.clock.now();
      const secret = newSecret();
      const until = new Date(now.getTime() + BOTH_SECRETS_MS);
      const { id } = await requireWebhook(deps.db, request);
      const rotated = await deps.db.transaction(tx => rotateSecret(tx, { id, secret, until, now }));
      return { ...webhookView(present(rotated)), secret: secretText(secret) };
    },
  );
}

async function checkUrl(deps: DeliverDeps, url: string | undefined): Promise<Fault[]> {
  const message = url === undefined ? undefined : await outgoingFault(deps, url);
  return message === undefined ? [] : [{ path: 'url', code: 'not_allowed', message }];
}

/** The webhook of an address, when it is one that the caller may see. A webhook never changes its account. */
export async function requireWebhook(db: Sql, { params, caller }: FastifyRequest<ById>): Promise<Webhook> {
  const webhook = present(await findWebhook(db, webhookId(params.id)));
  if (caller && webhook.accountId !== caller.accountId) throw noSuchWebhook();
  return webhook;
}

function webhookId(id: string): string {
  const canonical = id.toLowerCase();
  if (!isUuid(canonical)) throw noSuchWebhook();
  return canonical;
}

function present(webhook: Webhook | undefined): Webhook {
  if (!webhook) throw noSuchWebhook();
  return webhook;
}

function noSuchWebhook(): AppError {
  return new AppError('not_found', 'There is no such webhook.');
}
