// Mandates of Pix Automático, and the charges that are collected by them.
import type { FastifyInstance } from 'fastify';
import {
  COLLECTION_EXAMPLE,
  CollectionBody,
  CollectionView,
  checkMandate,
  MANDATE_DETAIL_EXAMPLE,
  MANDATES_EXAMPLE,
  MandateBody,
  MandateDetail,
  MandatesPage,
  MandatesQuery,
  toNewMandate,
} from '../../api/mandates.ts';
import { checkPage } from '../../api/paging.ts';
import type { LookDeps } from '../../billing/mandates/calls.ts';
import { cancelCollection, cancelMandate, collectCharge } from '../../billing/mandates/collect.ts';
import { type CreateMandateDeps, createMandate } from '../../billing/mandates/create.ts';
import { listMandates, showMandate } from '../../billing/mandates/list.ts';
import { requireMandate } from '../../billing/mandates/require.ts';
import { collectionView } from '../../billing/mandates/view.ts';
import { created, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Mandates';
const path = idOf('mandate');

export type MandateRouteDeps = CreateMandateDeps & LookDeps & { readonly pageSize: number };

export function mandateRoutes(app: FastifyInstance, deps: MandateRouteDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/mandates',
    operationId: 'createMandate',
    summary: 'Create a mandate',
    description:
      'Asks a payer to approve that their bank pays again and again (Pix Automático). The PSP is asked in the background: the code comes a moment later. A repeat by externalId or Idempotency-Key returns the first mandate as it is now.',
    tag,
    takesIdempotencyKey: true,
    body: MandateBody,
    check: checkMandate,
    answer: created(MandateDetail, 'The mandate', MANDATE_DETAIL_EXAMPLE, { ...LOCATION, ...REPLAYED }),
    problems: ['external_id_conflict', 'idempotency_key_reused', 'not_configured'],
    handle: async ({ body, idempotencyKey }, reply) => {
      const { id, accountId, replayed } = await createMandate(deps, toNewMandate(body), idempotencyKey);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/mandates/${id}`);
      return showMandate(deps, await requireMandate(deps.db, id, accountId));
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/mandates',
    operationId: 'listMandates',
    summary: 'List mandates',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: MandatesQuery,
    check: checkPage,
    answer: ok(MandatesPage, 'A page of mandates', MANDATES_EXAMPLE),
    handle: async ({ query, caller }) => listMandates(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/mandates/:id',
    operationId: 'getMandate',
    summary: 'Read a mandate',
    description: 'With its collections.',
    tag,
    path,
    answer: ok(MandateDetail, 'The mandate with its collections', MANDATE_DETAIL_EXAMPLE),
    handle: async ({ path: { id }, caller }) => showMandate(deps, await requireMandate(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/mandates/:id/cancel',
    operationId: 'cancelMandate',
    summary: 'Cancel a mandate',
    description:
      'Ends it at the PSP in the background, with its open collections; their charges stay payable. Canceling a canceled mandate changes nothing.',
    tag,
    path,
    answer: ok(MandateDetail, 'The mandate', MANDATE_DETAIL_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => showMandate(deps, await cancelMandate(deps, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/mandates/:id/collections',
    operationId: 'collectCharge',
    summary: 'Collect a charge',
    description:
      'Has the bank of the payer pay a charge on its due day. It stays payable by its code: should the collection bring nothing, the payer can still pay it. A repeat returns the collection that the charge has.',
    tag,
    path,
    body: CollectionBody,
    answer: created(CollectionView, 'The collection', COLLECTION_EXAMPLE, REPLAYED),
    problems: ['wrong_state', 'not_configured'],
    handle: async ({ path: { id }, body: { chargeId }, caller }, reply) => {
      const of = caller?.accountId === undefined ? {} : { accountId: caller.accountId };
      const { collection, replayed } = await collectCharge(deps, { mandateId: id, chargeId, ...of });
      if (replayed) reply.header('idempotent-replayed', 'true');
      return collectionView(collection);
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/collections/:id/cancel',
    operationId: 'cancelCollection',
    summary: 'Cancel a collection',
    description:
      'In the background, until the evening before its due day; the charge stays payable. Canceling a canceled collection changes nothing.',
    tag,
    path: idOf('collection'),
    answer: ok(CollectionView, 'The collection', COLLECTION_EXAMPLE),
    problems: ['wrong_state', 'not_configured'],
    handle: async ({ path: { id }, caller }) => collectionView(await cancelCollection(deps, id, caller?.accountId)),
  });
}
