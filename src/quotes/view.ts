// A quote as the API shows it. Its JSON numbers are exact; `exact` has the same values as text, for parsers that round.
import { exactNumber, formatUnits } from '../lib/decimals.ts';
import type { Quote } from './quote.ts';

const CENT_DECIMALS = 2;

export function quoteView(quote: Quote) {
  const exact = {
    price: quote.price,
    fee: formatUnits(quote.feeCents, CENT_DECIMALS),
    networkFee: formatUnits(quote.networkFeeUnits, quote.decimals),
    quantity: formatUnits(quote.units, quote.decimals),
    cost: formatUnits(quote.costCents, CENT_DECIMALS),
  };
  return {
    id: quote.id,
    ...(quote.accountId !== undefined && { accountId: quote.accountId }),
    symbol: quote.symbol,
    network: quote.network,
    currency: quote.currency,
    price: exactNumber(exact.price),
    fee: exactNumber(exact.fee),
    networkFee: exactNumber(exact.networkFee),
    quantity: exactNumber(exact.quantity),
    cost: exactNumber(exact.cost),
    exact,
    feePercent: quote.feePercent,
    source: quote.source,
    priceAt: quote.priceAt.toISOString(),
    inputs: quote.inputs.map(({ source, value, at, leftOut }) => ({ source, value, at, ...(leftOut && { leftOut }) })),
    createdAt: quote.createdAt.toISOString(),
    expiresAt: quote.expiresAt.toISOString(),
  };
}
