// Routes of payments that an operator records, and of unmatched money.
import type { FastifyInstance } from 'fastify';
import { CHARGE_EXAMPLE, ChargeView } from '../../api/charges.ts';
import { toPageQuery } from '../../api/paging.ts';
import {
  checkPaidAt,
  checkReference,
  DISMISSED_EXAMPLE,
  DismissalBody,
  PaymentBody,
  UNMATCHED_EXAMPLE,
  UnmatchedPage,
  UnmatchedPayment,
  UnmatchedQuery,
} from '../../api/payments.ts';
import { dateOf } from '../../api/schemas.ts';
import type { Links } from '../../charges/links/links.ts';
import { type PayDeps, recordPayment } from '../../charges/receive/pay.ts';
import { dismissUnmatched } from '../../charges/unmatched/dismiss.ts';
import { listUnmatched } from '../../charges/unmatched/list.ts';
import { chargeView } from '../../charges/view.ts';
import type { Database } from '../../storage/database.ts';
import { created, ok } from '../server/answers.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Charges';

type Deps = PayDeps & { readonly db: Database; readonly links: Links; readonly pageSize: number };

export function paymentRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/payments',
    operationId: 'recordPayment',
    summary: 'Record a payment',
    description: 'For money that no bank reports to the service, such as a pix to a static key.',
    tag,
    path: idOf('charge'),
    body: PaymentBody,
    check: ({ body }) => [
      ...checkPaidAt('paidAt', body.paidAt, deps.clock.now()),
      ...checkReference('reference', body.reference),
    ],
    answer: created(ChargeView, 'The charge after the payment', CHARGE_EXAMPLE, {
      'Idempotent-Replayed': { description: '`true` when this reference was already recorded.', type: 'string' },
    }),
    problems: ['wrong_state', 'reference_conflict', 'possible_duplicate'],
    handle: async ({ path, body, caller }, reply) => {
      const { method = 'pix', amountCents, paidAt, reference, isAnother = false } = body;
      const { charge, isNew } = await recordPayment(deps, {
        chargeId: path.id,
        ...(caller?.accountId !== undefined && { accountId: caller.accountId }),
        method,
        amountCents: BigInt(amountCents),
        ...(paidAt !== undefined && { paidAt: dateOf(paidAt) }),
        source: 'operator',
        reference,
        isAnother,
      });
      if (!isNew) reply.header('idempotent-replayed', 'true');
      return chargeView(deps.links, charge);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/payments/unmatched',
    operationId: 'listUnmatchedPayments',
    summary: 'List payments without a charge',
    description: 'Payments from an imported statement or a rail that match no charge, newest first.',
    tag,
    query: UnmatchedQuery,
    answer: ok(UnmatchedPage, 'A page of payments', UNMATCHED_EXAMPLE),
    handle: async ({ query }) => listUnmatched(deps, toPageQuery(query, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/payments/unmatched/dismiss',
    operationId: 'dismissUnmatchedPayment',
    summary: 'Dismiss a payment without a charge',
    description:
      'For a duplicate, or money that is for no charge: it leaves the list, and importing the same statement does not bring it back. It can still be recorded for a charge by its reference.',
    tag,
    body: DismissalBody,
    check: ({ body }) => checkReference('reference', body.reference),
    answer: ok(UnmatchedPayment, 'The dismissed payment', DISMISSED_EXAMPLE),
    problems: ['not_found'],
    handle: async ({ body }) => dismissUnmatched(deps, body.reference),
  });
}
