// Gives an order a new price when its payment was late, too small, or arrived after its end. The new quantity is what all the
// kept money buys.

import { decimalsOf } from '../chains/networks.ts';
import type { Charge } from '../charges/charge.ts';
import { keptCents } from '../charges/life.ts';
import { currentActor } from '../lib/audit-context.ts';
import { divideDown, formatUnits, tenTo } from '../lib/decimals.ts';
import { AppError, noSuch, requireFound } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { MakeQuoteDeps } from '../quotes/create.ts';
import { minimumText, orderTermsOf } from '../quotes/order-terms.ts';
import { isExpired, priceOrder, QUOTE_LIFE_MS, type Quote } from '../quotes/quote.ts';
import { findQuote, lockQuote } from '../quotes/store.ts';
import { findWallet } from '../wallets/store.ts';
import { requireNothingMoved } from './earlier-transfers.ts';
import { catchUp, joinLine, lockChargeOf } from './follow.ts';
import { isPastClaim, type NewPrice, repriced } from './life.ts';
import type { HoldReason, Order } from './order.ts';
import { type RetryDeps, requireNoSlot, requirePayable, requireReady } from './retry.ts';
import { findFirstByQuote, findOrder, lockOrder, recordQuoteUse } from './store.ts';
import { writeOrderStep } from './write.ts';

type Deps = RetryDeps & MakeQuoteDeps;

/** The hold reasons that a new price resolves. */
const REPRICEABLE: readonly HoldReason[] = [
  'underpaid',
  'quote_expired',
  'partially_refunded',
  'paid_after_end',
  'over_payout_limit',
  'approval_needed',
  'wallet_refused',
  'transfer_refused',
  'payout_voided',
  'transfer_reverted',
];

/** Uses the current price, or that of an existing quote for exactly this money. Refuses an order without such a hold. */
export async function repriceOrder(deps: Deps, id: string, quoteId?: string, accountId?: string): Promise<Order> {
  const now = deps.clock.now();
  const repriceId = uuidV7(now);
  const found = requireFound(await findOrder(deps.db, id, accountId), 'crypto transaction');
  requireHeld(found);
  const quote = quoteId === undefined ? undefined : await requireQuote(deps, found, quoteId, now);
  const { value, source, at } = quote
    ? { value: quote.price, source: quote.source, at: quote.priceAt }
    : await deps.prices.price(found.symbol, found.currency, now);
  await requirePayable(deps, found);
  await requireNothingMoved(deps, found);
  if (isPastClaim(found)) await requireReady(deps, found);

  return deps.db.transaction(async tx => {
    const before = await lockOrder(tx, id);
    const charge = before && (await lockChargeOf(tx, before));
    if (!before || !charge) throw noSuch('crypto transaction');
    // A retry after a commit whose answer was lost finds its own change.
    if (before.repriceId === repriceId) return before;
    requireHeld(before);
    if (!(await findWallet(tx, before.walletId))) {
      throw new AppError('wrong_state', 'The wallet of this order was removed: refund its charge.');
    }
    if (quote) {
      await lockQuote(tx, quote.id);
      if (await findFirstByQuote(tx, quote.id)) throw refused('used', 'was used for another order');
      await recordQuoteUse(tx, quote.id, before);
    }
    const terms = termsOf(deps, before, charge, value, quote);
    const expiresAt = quote?.expiresAt ?? new Date(now.getTime() + QUOTE_LIFE_MS);
    const price = { ...terms, quote: { source, priceAt: at, expiresAt, ...(quote && { id: quote.id }) } };
    const after = await writeOrderStep(
      tx,
      before,
      repriced(before, price, { now, repriceId, by: currentActor(), newId: () => uuidV7(now) }),
      now,
    );
    if (!isPastClaim(before)) return (await catchUp(deps, tx, id)) ?? after;
    await joinLine(deps, tx, after);
    return after;
  });
}

function requireHeld(order: Order): void {
  const { hold } = order;
  requireNoSlot(order);
  if (hold && REPRICEABLE.includes(hold.reason)) return;
  throw new AppError('wrong_state', 'This order is not held for a new price.');
}

async function requireQuote({ db }: Deps, order: Order, id: string, now: Date): Promise<Quote> {
  const quote = await findQuote(db, id);
  if (!quote || (quote.accountId !== undefined && quote.accountId !== order.accountId)) {
    throw refused('unknown', 'is no quote of this account');
  }
  if (isExpired(quote, now)) throw refused('expired', 'has expired: ask for a new quote');
  const isSame = quote.symbol === order.symbol && quote.network === order.network && quote.currency === order.currency;
  if (!isSame) throw refused('other_asset', 'is for another symbol, network or currency than the order');
  return quote;
}

/** The terms of the order for all the kept money at a price. */
function termsOf(
  { feePercent, orderTerms }: Deps,
  { symbol, network, currency }: Order,
  charge: Charge,
  price: string,
  quote: Quote | undefined,
): Omit<NewPrice, 'quote'> {
  const dueCents = keptCents(charge);
  if (dueCents <= 0n) throw new AppError('wrong_state', 'There is no money left to convert.');
  const costCents = inCurrency(charge, dueCents);
  if (quote && quote.costCents !== costCents) {
    throw refused('other_cost', `must be for a cost of ${formatUnits(costCents, 2)} ${currency}`);
  }
  const decimals = decimalsOf(symbol, network);
  const { minimum, networkFee: networkFeeUnits } = orderTermsOf(orderTerms, { symbol, network });
  const priced = quote ?? priceOrder({ price, decimals, feePercent, networkFeeUnits, costCents });
  if (priced.units < minimum || priced.units === 0n) {
    const message = `The money buys ${formatUnits(priced.units, decimals)} ${symbol} at ${price} ${currency}`;
    throw new AppError(
      'wrong_state',
      `${message}, less than the minimum of ${minimumText(minimum, { symbol, network })}: refund the charge.`,
    );
  }
  return {
    price,
    quantity: formatUnits(priced.units, decimals),
    cost: formatUnits(costCents, 2),
    feeCents: priced.feeCents,
    dueCents,
  };
}

/** Converts reais into the currency of the charge at its locked rate, rounded down. */
function inCurrency({ lockedRate, payableCents, amountCents }: Charge, cents: bigint): bigint {
  if (!lockedRate || cents === payableCents) return lockedRate ? amountCents : cents;
  const [whole = '', fraction = ''] = lockedRate.rate.split('.');
  return divideDown(cents * tenTo(fraction.length), BigInt(whole + fraction));
}

function refused(code: string, message: string): AppError {
  return new AppError('order_refused', `quoteId ${message}.`, { faults: [{ path: 'quoteId', code, message }] });
}
