// Routes of charges: create, read, list, cancel.
import type { FastifyInstance } from 'fastify';
import {
  CHARGE_EXAMPLE,
  CHARGES_EXAMPLE,
  ChargesPage,
  ChargesQuery,
  ChargeView,
  CREATED_EXAMPLE,
  CreatedCharge,
  DueDateBody,
  RemainderBody,
  WithdrawalBody,
} from '../../api/charges.ts';
import { ChargeBody, checkWhoPays, toChargeDraft, toChargeRequest } from '../../api/new-charge.ts';
import { checkPage } from '../../api/paging.ts';
import { checkReductionForms } from '../../api/reductions.ts';
import { dateOf } from '../../api/schemas.ts';
import { findWhoseCharges, withPayer } from '../../billing/customers/charges-of.ts';
import { cancelCharge } from '../../charges/cancel.ts';
import { checkCharge } from '../../charges/create/check.ts';
import { type CreateDeps, createCharge } from '../../charges/create/create.ts';
import { changeDueDate } from '../../charges/due-date/change-due-date.ts';
import { withdrawLink } from '../../charges/links/withdraw-link.ts';
import { listCharges } from '../../charges/list.ts';
import { makeRemainder } from '../../charges/receive/remainder.ts';
import { requireCharge, requireChargeOf } from '../../charges/require.ts';
import { findCharge } from '../../charges/store/charges.ts';
import { chargeView } from '../../charges/view.ts';
import { invalidRequest } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import { created, jsonText, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { listQuery } from '../server/list-query.ts';
import { DATA_AS_OF, FreshHeaders, type ListReadDeps, readList } from '../server/list-read.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Charges';

type Deps = CreateDeps & ListReadDeps & { readonly pageSize: number };

export function chargeRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/charges',
    operationId: 'createCharge',
    summary: 'Create a charge',
    description:
      'Payable by boleto, pix or both. A repeat by externalId or Idempotency-Key returns the first charge, however many arrive at once.',
    tag,
    takesIdempotencyKey: true,
    body: ChargeBody,
    check: partial => [...checkWhoPays(partial), ...checkReductionForms(partial)],
    // A body that fits its schema is checked by createCharge, which looks for an earlier charge before it refuses: a repeat
    // gets the first charge even when its dueAt has passed since.
    checkWhenRefused: ({ body }) => checkCharge(deps, toChargeDraft(body), deps.clock.now()),
    answer: created(CreatedCharge, 'The charge, with a result for each method', CREATED_EXAMPLE, {
      ...LOCATION,
      ...REPLAYED,
      Link: { description: 'The page to send to the payer, with `rel="payment"`.', type: 'string' },
    }),
    problems: ['external_id_conflict', 'idempotency_key_reused', 'charge_refused'],
    handle: async ({ body, idempotencyKey }, reply) => {
      const request = await withPayer(deps.db, toChargeRequest(body));
      const { id, answer, replayed } = await createCharge(deps, request, idempotencyKey);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/charges/${id}`);
      // Not in the body, whose fields are given; `payment` is a registered relation. A repeat may come after a withdrawal.
      const linked = replayed ? await findCharge(deps.db, id) : { id, linkEpoch: 0 };
      if (linked) reply.header('link', `<${deps.links.checkoutUrl(linked)}>; rel="payment"`);
      return jsonText(answer);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/charges/:id',
    operationId: 'getCharge',
    summary: 'Read a charge',
    tag,
    path: idOf('charge'),
    answer: ok(ChargeView, 'The charge as it is now', CHARGE_EXAMPLE),
    handle: async ({ path, caller }) =>
      chargeView(deps.links, await requireCharge(deps.db, path.id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/charges',
    operationId: 'listCharges',
    summary: 'List charges',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: ChargesQuery,
    headers: FreshHeaders,
    check: checkPage,
    answer: ok(ChargesPage, 'A page of charges', CHARGES_EXAMPLE, DATA_AS_OF),
    handle: async ({ query, caller, request }, reply) => {
      const { customerId, ...asked } = listQuery(query, caller, deps.pageSize);
      // A search for one charge may follow its creation, so it reads the primary.
      const isFresh = asked.externalId !== undefined;
      const read = async (db: Sql) => {
        const ofCustomer =
          customerId === undefined ? undefined : await findWhoseCharges(db, customerId, asked.accountId);
        return listCharges({ ...deps, db }, { ...asked, ...(ofCustomer && { ofCustomer }) });
      };
      return readList(deps, request, reply, read, { isFresh });
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/cancel',
    operationId: 'cancelCharge',
    summary: 'Cancel a charge',
    description: 'Withdraws every open method. Canceling a canceled charge changes nothing.',
    tag,
    path: idOf('charge'),
    answer: ok(ChargeView, 'The charge, canceled', { ...CHARGE_EXAMPLE, state: 'CANCELED' }),
    problems: ['wrong_state'],
    handle: async ({ path, caller }) => {
      await requireChargeOf(deps.db, path.id, caller?.accountId);
      return chargeView(deps.links, await cancelCharge(deps, path.id));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/remainder',
    operationId: 'chargeRemainder',
    summary: 'Charge the rest of a charge',
    description:
      'For a charge that is PARTIALLY_PAID: one charge for the rest, to the same payer. When it is paid, the first charge is paid. At most one is open: a repeat with any body returns it, until it has failed, expired or been canceled.',
    tag,
    path: idOf('charge'),
    body: RemainderBody,
    answer: created(ChargeView, 'The charge for the rest', CHARGE_EXAMPLE, { ...LOCATION, ...REPLAYED }),
    problems: ['wrong_state', 'charge_refused'],
    handle: async ({ path, body, caller }, reply) => {
      await requireChargeOf(deps.db, path.id, caller?.accountId);
      const { methods, dueAt, expireAt } = body;
      const { charge, replayed } = await makeRemainder(deps, path.id, {
        ...(methods && { methods: [...new Set(methods)] }),
        ...(dueAt !== undefined && { dueAt: dateOf(dueAt) }),
        ...(expireAt !== undefined && { expireAt: dateOf(expireAt) }),
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/charges/${charge.id}`);
      return chargeView(deps.links, charge);
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/due-date',
    operationId: 'changeDueDate',
    summary: 'Change the due date of a charge',
    description:
      'The end of the charge moves by the same number of days. Where a bank must change it too, by file or by call, dueChange is PENDING until it has answered. The same date again changes nothing.',
    tag,
    path: idOf('charge'),
    body: DueDateBody,
    answer: ok(ChargeView, 'The charge with its new due date, or with the requested change', {
      ...CHARGE_EXAMPLE,
      dueChange: { dueAt: '2026-12-21T02:59:59.000Z', status: 'PENDING' },
    }),
    problems: ['wrong_state'],
    handle: async ({ path, body, caller }) => {
      await requireChargeOf(deps.db, path.id, caller?.accountId);
      return chargeView(deps.links, await changeDueDate(deps, path.id, dateOf(body.dueAt)));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/checkout/withdraw',
    operationId: 'withdrawCheckout',
    summary: 'Withdraw the link to the checkout',
    description:
      'For a link that reached the wrong person: it stops working, and the charge gets a new one. The request names the link, so that a repeat does not withdraw the new one. Codes that were seen can still be paid; to prevent that, cancel the charge.',
    tag,
    path: idOf('charge'),
    body: WithdrawalBody,
    answer: ok(ChargeView, 'The charge with its new link', CHARGE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path, body, caller }) => {
      await requireChargeOf(deps.db, path.id, caller?.accountId);
      const named = deps.links.readUrl(body.checkoutUrl);
      if (named?.id !== path.id) {
        throw invalidRequest([{ path: 'checkoutUrl', code: 'not_found', message: 'must be a link of this charge' }]);
      }
      return chargeView(deps.links, await withdrawLink(deps, named));
    },
  });
}
