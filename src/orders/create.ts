// Creates an order: a locked price, a destination wallet and, if the caller names a payer, a charge; all in one
// transaction. No call to a rail or a chain happens here.
import {
  bindKey,
  type First,
  findEarlier,
  isSame,
  type Records,
  type RequestIdentity,
  writeOnce,
} from '../accounts/once.ts';
import { requireAccount } from '../accounts/require.ts';
import type { Charge } from '../charges/charge.ts';
import { type ChargeDeps, writeCharge } from '../charges/create/create.ts';
import { type IssueNowDeps, issueNow } from '../charges/issue/issue-now.ts';
import { findCharge } from '../charges/store/charges.ts';
import { insertEvents } from '../events/store.ts';
import { currentActor, setAuditObject } from '../lib/audit-context.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { contentHash, type Plain } from '../lib/hash.ts';
import { traceOf } from '../lib/tracing.ts';
import { makeQuote } from '../quotes/create.ts';
import { isExpired, type Quote, type QuoteRequest } from '../quotes/quote.ts';
import { findQuote, insertQuote, lockQuote } from '../quotes/store.ts';
import type { Sql } from '../storage/database.ts';
import { insertTraces } from '../storage/object-traces.ts';
import { type BuyDeps, buildOrder, refused, requireAnyNetwork, takeWallet } from './buy.ts';
import { chargeOfOrder, type OrderCharge } from './charge-of-order.ts';
import { type Order, orderEventType, type SettlementSchedule } from './order.ts';
import {
  findFirstByExternalId,
  findFirstById,
  findFirstByQuote,
  insertOrder,
  recordQuoteUse,
  replaceAnswer,
} from './store.ts';
import { setOrderTimer } from './store-timers.ts';
import { orderDetail } from './view.ts';
import { orderEvent } from './write.ts';

export type OrderDeps = ChargeDeps & IssueNowDeps & BuyDeps;

/** The input of `createOrder`: the id of an existing quote, or the fields for a new one. */
export type NewOrder = {
  readonly accountId: string;
  readonly externalId?: string;
  readonly quote: { readonly id: string } | QuoteRequest;
  readonly walletId: string;
  readonly settlementSchedule: SettlementSchedule;
  readonly charge?: OrderCharge;
};

type CreatedOrder = { readonly id: string; readonly answer: string; readonly replayed: boolean };

/**
 * Creates an order in `pending_payment`, with its charge if a payer is named. A repeat, by externalId, by idempotency key
 * or of the same quote, gets the first order again. Refuses a quote that has expired or was used, and a wallet that may
 * not receive yet.
 */
export async function createOrder(deps: OrderDeps, input: NewOrder, idempotencyKey?: string): Promise<CreatedOrder> {
  const now = deps.clock.now();
  const hash = contentHash(contentOf(input));
  const claim: RequestIdentity = { hash, scope: deps.accounts.keyScopeOf(input.accountId), key: idempotencyKey };
  // Look for a repeat first: it needs no price, and its quote was used by the first request.
  const earlier = await findFirst(deps, claim, input);
  if (earlier) return { id: earlier.id, answer: earlier.answer, replayed: true };

  const quote = await takeQuote(deps, input);
  const wallet = await takeWallet(deps, input, quote.network);
  const unpaid = buildOrder(deps, { ...input, createdBy: currentActor() }, quote, wallet, now);
  const charge = input.charge && chargeOfOrder(deps, unpaid, input.charge, now);
  const order = charge ? { ...unpaid, chargeId: charge.id, dueCents: charge.payableCents } : unpaid;
  const created = { at: now, event: orderEventType('pending_payment') };
  const answerWith = (shown: Charge | undefined) =>
    JSON.stringify(orderDetail(deps.links, order, { charge: shown, timeline: [created] }));
  const isOwnQuote = !('id' in input.quote);

  const first = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.accounts, order.accountId, now);
    if (isOwnQuote) await insertQuote(tx, quote);
    else {
      // The lock serialises the orders of one quote.
      await lockQuote(tx, quote.id);
      const other = await findFirstByQuote(tx, quote.id);
      if (other && other.id !== order.id) return sameOrder(other, claim);
    }
    const answer = answerWith(charge);
    const known = await writeOnce(tx, records, claim, order, () => insertOrder(tx, order, { hash, answer }));
    setAuditObject(known?.id ?? order.id);
    if (known) return known;
    const written = await beginOrder(deps, tx, order, charge);
    if (written === charge) return { id: order.id, answer, charge };
    // The charge got its number or its code when it was written.
    const complete = answerWith(written);
    await replaceAnswer(tx, order, complete);
    return { id: order.id, answer: complete, charge: written };
  });
  if (first.id !== order.id) return { id: first.id, answer: first.answer, replayed: true };
  // An earlier attempt committed the charge, with a location, but the answer was lost.
  const written = 'charge' in first ? first.charge : charge && (await findCharge(deps.db, charge.id));
  const issued = written && (await issueNow(deps, written));
  if (issued === written) return { id: order.id, answer: first.answer, replayed: false };
  const withCode = answerWith(issued);
  await replaceAnswer(deps.db, order, withCode);
  return { id: order.id, answer: withCode, replayed: false };
}

const records: Records = {
  byId: findFirstById,
  byExternalId: findFirstByExternalId,
  conflict: transactionId =>
    new AppError('external_id_conflict', 'Another order of this account has this externalId.', {
      first: { transactionId },
    }),
};

async function findFirst(
  { db, clock }: OrderDeps,
  claim: RequestIdentity,
  input: NewOrder,
): Promise<First | undefined> {
  const earlier = await findEarlier(db, records, claim, input);
  if (earlier || !('id' in input.quote)) return earlier;
  const used = await findFirstByQuote(db, input.quote.id);
  if (!used || !isSame(claim, used)) return undefined;
  // An idempotency key of this request now refers to the order too.
  const { accountId } = input;
  await db.transaction(tx => bindKey(tx, claim, { objectId: used.id, accountId }, clock.now()));
  return used;
}

/** The first order of the quote, if it was made by the same request; otherwise refuses. */
function sameOrder(first: First, claim: RequestIdentity): First {
  if (isSame(claim, first)) return first;
  throw refused('quoteId', 'used', 'was used for another order');
}

/** Returns the charge as it was written. */
async function beginOrder(
  deps: OrderDeps,
  tx: Sql,
  order: Order,
  charge: Charge | undefined,
): Promise<Charge | undefined> {
  await recordQuoteUse(tx, order.quote!.id!, order);
  await insertTraces(tx, [traceOf(order.id, order.createdAt), charge && traceOf(charge.id, charge.createdAt)]);
  await insertEvents(tx, [orderEvent(order, 'pending_payment', order.createdAt)]);
  if (charge) return writeCharge(deps, tx, charge);
  await setOrderTimer(tx, order, 'expire', order.quote!.expiresAt);
  return undefined;
}

/** The quote that the caller named, or a new one. */
async function takeQuote(deps: OrderDeps, { accountId, quote: asked }: NewOrder): Promise<Quote> {
  if (!('id' in asked)) {
    // Check this before the price: a price would not help.
    requireAnyNetwork(deps.chains);
    return makeQuote(deps, { ...asked, accountId });
  }
  const quote = await findQuote(deps.db, asked.id);
  if (!quote || (quote.accountId !== undefined && quote.accountId !== accountId)) {
    throw invalidRequest([{ path: 'quoteId', code: 'unknown', message: 'is not a quote of this account' }]);
  }
  if (isExpired(quote, deps.clock.now())) throw refused('quoteId', 'expired', 'has expired: ask for a new quote');
  return quote;
}

/**
 * The content that two requests must share to count as the same request. `operation` keeps it different from any
 * charge.
 */
function contentOf({ quote, charge, ...input }: NewOrder): Plain {
  return { operation: 'order', ...input, quote: quoteContent(quote), charge: charge && chargeContent(charge) };
}

function quoteContent(quote: NewOrder['quote']): Plain {
  if ('id' in quote) return { id: quote.id };
  const { wanted, ...fields } = quote;
  return {
    ...fields,
    ...('costCents' in wanted ? { costCents: String(wanted.costCents) } : { units: String(wanted.units) }),
  };
}

function chargeContent({ customer, methods, dueAt, expireAt, ...rest }: OrderCharge): Plain {
  return {
    ...rest,
    methods: [...methods].sort(),
    customer: { ...customer, address: { ...customer.address } },
    dueAt: dueAt?.toISOString(),
    expireAt: expireAt?.toISOString(),
  };
}
