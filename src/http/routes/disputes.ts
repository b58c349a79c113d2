// Disputes: money that the bank of a payer has asked for.
import type { FastifyInstance } from 'fastify';
import {
  DISPUTE_DETAIL_EXAMPLE,
  DISPUTE_EXAMPLE,
  DISPUTES_EXAMPLE,
  DisputeChangesBody,
  DisputeDetail,
  DisputeEndBody,
  DisputesPage,
  DisputesQuery,
  DisputeView,
  toDisputeChanges,
} from '../../api/disputes.ts';
import { checkPage } from '../../api/paging.ts';
import { changeDispute } from '../../charges/disputes/change.ts';
import { closeDispute } from '../../charges/disputes/close.ts';
import { listDisputes } from '../../charges/disputes/list.ts';
import { requireDispute } from '../../charges/disputes/require.ts';
import { showDispute } from '../../charges/disputes/show.ts';
import { disputeView } from '../../charges/disputes/view.ts';
import type { ReturnDeps } from '../../charges/refund/returns.ts';
import { ok } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Disputes';
const path = idOf('dispute');

export type DisputeRouteDeps = ReturnDeps & { readonly pageSize: number };

export function disputeRoutes(app: FastifyInstance, deps: DisputeRouteDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/disputes',
    operationId: 'listDisputes',
    summary: 'List disputes',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: DisputesQuery,
    check: checkPage,
    answer: ok(DisputesPage, 'A page of disputes', DISPUTES_EXAMPLE),
    handle: async ({ query, caller }) => listDisputes(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/disputes/:id',
    operationId: 'getDispute',
    summary: 'Read a dispute',
    description: 'With its evidence.',
    tag,
    path,
    answer: ok(DisputeDetail, 'The dispute with its evidence', DISPUTE_DETAIL_EXAMPLE),
    handle: async ({ path: { id }, caller }) => showDispute(deps, await requireDispute(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/disputes/:id',
    operationId: 'changeDispute',
    summary: 'Change a dispute',
    description:
      'Records until when the bank blocks the money, which it reports by other ways, and a note. Absent fields stay, and null removes a value.',
    tag,
    path,
    body: DisputeChangesBody,
    answer: ok(DisputeView, 'The dispute as it is then', DISPUTE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body, caller }) =>
      disputeView(await changeDispute(deps, id, toDisputeChanges(body), caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/disputes/:id/close',
    operationId: 'closeDispute',
    summary: 'Close a dispute',
    description:
      'Records its end, which you know from the bank, and books the blocked money: back when it was won, out when it was lost or accepted. No money moves by it, and the bank does not learn of it. A different end that the bank reports later replaces it. Closing it again in the same way changes nothing.',
    tag,
    path,
    body: DisputeEndBody,
    answer: ok(DisputeView, 'The closed dispute', DISPUTE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body, caller }) =>
      disputeView(await closeDispute(deps, id, body, caller?.accountId)),
  });
}
