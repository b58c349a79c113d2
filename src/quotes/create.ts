// Creates a quote: reads the price first, with no transaction open, and then writes the quote.
import { type AccountPolicy, requireAccount } from '../accounts/require.ts';
import { decimalsOf } from '../chains/networks.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { formatUnits } from '../lib/decimals.ts';
import { invalidRequest } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { PriceSource } from '../prices/price.ts';
import type { Database } from '../storage/database.ts';
import { MAX_COST } from './check.ts';
import { type AllOrderTerms, minimumText, orderTermsOf } from './order-terms.ts';
import { MAX_COST_CENTS, priceOrder, QUOTE_LIFE_MS, type Quote, type QuoteRequest } from './quote.ts';
import { insertQuote } from './store.ts';

export type MakeQuoteDeps = {
  readonly prices: PriceSource;
  readonly clock: Clock;
  readonly feePercent: string;
  readonly orderTerms: AllOrderTerms;
};

export type QuoteDeps = MakeQuoteDeps & { readonly db: Database; readonly accounts: AccountPolicy };

/** Prices a request and stores the quote. Refuses what `makeQuote` refuses, and in live an unknown account. */
export async function createQuote(deps: QuoteDeps, input: QuoteRequest): Promise<Quote> {
  const quote = await makeQuote(deps, input);
  await deps.db.transaction(async tx => {
    if (quote.accountId !== undefined) await requireAccount(tx, deps.accounts, quote.accountId, quote.createdAt);
    await insertQuote(tx, quote);
    setAuditObject(quote.id);
  });
  return quote;
}

/**
 * Prices a request without writing anything; it may wait for price sources. Refuses an order below the minimum of the asset, a quantity
 * that costs more than the maximum, and everything while there is no price.
 */
export async function makeQuote(deps: MakeQuoteDeps, { wanted, ...asked }: QuoteRequest): Promise<Quote> {
  // Read the clock before the price sources: a slow source shortens the life of the quote, never extends it.
  const now = deps.clock.now();
  const { value: price, source, at: priceAt, inputs } = await deps.prices.price(asked.symbol, asked.currency, now);
  const decimals = decimalsOf(asked.symbol, asked.network);
  const { feePercent } = deps;
  const { minimum, networkFee: networkFeeUnits } = orderTermsOf(deps.orderTerms, asked);
  const terms = { price, decimals, feePercent, networkFeeUnits };
  const priced = priceOrder({ ...terms, ...wanted });
  if (priced.units < minimum || priced.units === 0n) {
    const least = formatUnits(priceOrder({ ...terms, units: minimum }).costCents, 2);
    const message = `the minimum of an order is ${minimumText(minimum, asked)}, which costs ${least} ${asked.currency} now`;
    throw invalidRequest([
      { path: 'costCents' in wanted ? 'cost' : 'quantity', code: 'minimum', message: `is too small: ${message}` },
    ]);
  }
  if (priced.costCents > MAX_COST_CENTS) {
    const message = `costs more than ${MAX_COST} ${asked.currency}`;
    throw invalidRequest([{ path: 'quantity', code: 'maximum', message }]);
  }
  return {
    ...asked,
    ...priced,
    networkFeeUnits,
    id: uuidV7(now),
    price,
    feePercent,
    decimals,
    source,
    priceAt,
    inputs,
    createdAt: now,
    expiresAt: new Date(now.getTime() + QUOTE_LIFE_MS),
  };
}
