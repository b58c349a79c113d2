// Ordering crypto: a price that is locked, a wallet to pay to and, when somebody is named who pays, a charge; all written in
// one transaction. Nothing is sent here.
import {
  type Claim,
  type First,
  findEarlier,
  isSame,
  lendKey,
  type Records,
  scopeOf,
  writeOnce,
} from '../accounts/once.ts';
import { requireAccount } from '../accounts/require.ts';
import type { Chains } from '../chains/chain.ts';
import type { LivingCharge } from '../charges/charge.ts';
import { type ChargeDeps, writeCharge } from '../charges/create.ts';
import { insertEvents } from '../events/store.ts';
import { concerns } from '../lib/act.ts';
import { formatUnits } from '../lib/decimals.ts';
import { AppError, type Fault, invalidRequest } from '../lib/errors.ts';
import { contentHash, type Plain } from '../lib/hash.ts';
import { uuidV7 } from '../lib/ids.ts';
import { type MakeQuoteDeps, makeQuote } from '../quotes/create.ts';
import { isExpired, type Quote, type QuoteRequest } from '../quotes/quote.ts';
import { findQuote, insertQuote, lockQuote } from '../quotes/store.ts';
import type { Sql } from '../storage/database.ts';
import { findWallet } from '../wallets/store.ts';
import type { Wallet } from '../wallets/wallet.ts';
import { chargeOfOrder, type OrderCharge } from './order-charge.ts';
import { type SettlementRules, settlementAt } from './settlement.ts';
import { findFirstByExternalId, findFirstById, findFirstByQuote, insertOrder, noteQuoteUse } from './store-orders.ts';
import { setOrderTimer } from './store-timers.ts';
import type { Order, SettlementSchedule } from './transaction.ts';
import { orderDetail } from './view.ts';
import { orderEvent } from './write.ts';

export type OrderDeps = ChargeDeps & MakeQuoteDeps & { readonly chains: Chains; readonly settlement: SettlementRules };

/** What a caller asks for: a quote made before, or the fields of one. */
export type NewOrder = {
  readonly accountId: string;
  readonly externalId?: string;
  readonly quote: { readonly id: string } | QuoteRequest;
  readonly walletId: string;
  readonly settlementSchedule: SettlementSchedule;
  readonly charge?: OrderCharge;
};

export type Ordered = { readonly id: string; readonly answer: string; readonly replayed: boolean };

/**
 * Makes an order in `pending_payment`, with its charge when somebody is named who pays. A repeat, by externalId, by
 * idempotency key or of the same quote, gets the first order again. Refuses a quote that is gone or used, and a wallet
 * that may not receive yet.
 */
export async function createOrder(deps: OrderDeps, input: NewOrder, idempotencyKey?: string): Promise<Ordered> {
  await deps.clock.refresh();
  const now = deps.clock.now();
  const hash = contentHash(contentOf(input));
  const claim: Claim = { hash, scope: scopeOf(deps.mode, input.accountId), key: idempotencyKey };
  // Looked for first: a repeat needs no price, and its quote is used, by itself.
  const earlier = await findFirst(deps, claim, input);
  if (earlier) return { id: earlier.id, answer: earlier.answer, replayed: true };

  const quote = await takeQuote(deps, input);
  const wallet = await takeWallet(deps, input, quote, now);
  const bare = bornOrder(deps, input, quote, wallet, now);
  const charge = input.charge && chargeOfOrder(deps, bare, input.charge, now);
  const order = charge ? { ...bare, chargeId: charge.id, dueCents: charge.payableCents } : bare;
  const born = { at: now, event: 'crypto_transaction.pending_payment' };
  const answer = JSON.stringify(orderDetail(order, { charge, timeline: [born] }));
  const isOwnQuote = !('id' in input.quote);

  const first = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.mode, order.accountId, now);
    if (isOwnQuote) await insertQuote(tx, quote);
    else {
      // Orders of one quote come one after the other from here.
      await lockQuote(tx, quote.id);
      const other = await findFirstByQuote(tx, quote.id);
      if (other && other.id !== order.id) return sameOrder(other, claim);
    }
    const known = await writeOnce(tx, records, claim, order, () => insertOrder(tx, order, hash, answer));
    concerns(known?.id ?? order.id);
    if (known) return known;
    await beginLife(deps, tx, order, charge);
    return { id: order.id, answer };
  });
  deps.queue.nudge('charge.issue');
  return { id: first.id, answer: first.answer, replayed: first.id !== order.id };
}

const records: Records = {
  byId: findFirstById,
  byExternalId: findFirstByExternalId,
  conflict: transactionId =>
    new AppError('external_id_conflict', 'Another order of this account has this externalId.', {
      first: { transactionId },
    }),
};

async function findFirst({ db, clock }: OrderDeps, claim: Claim, input: NewOrder): Promise<First | undefined> {
  const earlier = await findEarlier(db, records, claim, input);
  if (earlier || !('id' in input.quote)) return earlier;
  const used = await findFirstByQuote(db, input.quote.id);
  if (!used || !isSame(claim, used)) return undefined;
  // A key that comes with it stands for the order from now on, too.
  const { accountId } = input;
  await db.transaction(tx => lendKey(tx, claim, { objectId: used.id, accountId }, clock.now()));
  return used;
}

/** An order that took the quote first is this one when it asked for the same. */
function sameOrder(first: First, claim: Claim): First {
  if (isSame(claim, first)) return first;
  throw refused('quoteId', 'used', 'was used for another order');
}

async function beginLife(deps: OrderDeps, tx: Sql, order: Order, charge: LivingCharge | undefined): Promise<void> {
  await noteQuoteUse(tx, order.quote!.id!, order);
  await insertEvents(tx, [orderEvent(order, 'pending_payment', order.createdAt)]);
  if (charge) await writeCharge(deps, tx, charge);
  else await setOrderTimer(tx, order, 'expire', order.quote!.expiresAt);
}

/** The quote that was named, or one made now. */
async function takeQuote(deps: OrderDeps, { accountId, quote: asked }: NewOrder): Promise<Quote> {
  if (!('id' in asked)) return makeQuote(deps, { ...asked, accountId });
  const quote = await findQuote(deps.db, asked.id);
  if (!quote || (quote.accountId !== undefined && quote.accountId !== accountId)) {
    throw invalidRequest([{ path: 'quoteId', code: 'unknown', message: 'is no quote of this account' }]);
  }
  if (isExpired(quote, deps.clock.now())) throw refused('quoteId', 'expired', 'has expired: ask for a new quote');
  return quote;
}

async function takeWallet(deps: OrderDeps, input: NewOrder, { network }: Quote, now: Date): Promise<Wallet> {
  const wallet = await findWallet(deps.db, input.walletId, { accountId: input.accountId });
  const faults: Fault[] = [];
  if (!wallet) throw invalidRequest([{ path: 'walletId', code: 'unknown', message: 'is no wallet of this account' }]);
  if (wallet.network !== network) {
    faults.push({ path: 'walletId', code: 'other_network', message: `is on ${wallet.network}, not on ${network}` });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  if (!deps.chains[network]) throw refused('network', 'no_chain', 'is not paid out to by this service');
  if (wallet.usableAt > now) {
    throw refused('walletId', 'not_usable_yet', `may receive from ${wallet.usableAt.toISOString()} on`);
  }
  return wallet;
}

function refused(path: string, code: string, message: string): AppError {
  return new AppError('order_refused', `${path} ${message}.`, { faults: [{ path, code, message }] });
}

function bornOrder(deps: OrderDeps, input: NewOrder, quote: Quote, wallet: Wallet, now: Date): Order {
  const { accountId, externalId, settlementSchedule } = input;
  return {
    id: uuidV7(now),
    accountId,
    status: 'pending_payment',
    symbol: quote.symbol,
    network: quote.network,
    quantity: formatUnits(quote.units, quote.decimals),
    cost: formatUnits(quote.costCents, 2),
    price: quote.price,
    currency: quote.currency,
    walletId: wallet.id,
    walletAddress: wallet.address,
    walletName: wallet.name,
    settlementSchedule,
    // Planned, as if it were paid now.
    settlementDate: settlementAt(settlementSchedule, now, deps.settlement),
    createdAt: now,
    updatedAt: now,
    feeCents: quote.feeCents,
    quote: { id: quote.id, source: quote.source, priceAt: quote.priceAt, expiresAt: quote.expiresAt },
    eventCount: 1,
    ...(externalId !== undefined && { externalId }),
  };
}

/** What two requests must share to be the same request. The name of the operation keeps it apart from any charge. */
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
