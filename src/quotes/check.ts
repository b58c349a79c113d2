// Checks a request for a quote. Pure; returns all faults at once.
import { type AssetSymbol, NETWORKS_OF, type Network } from '../chains/asset.ts';
import { decimalsOf } from '../chains/networks.ts';
import type { Currency } from '../lib/currency.ts';
import { formatUnits, parseUnits } from '../lib/decimals.ts';
import type { Fault } from '../lib/errors.ts';
import { MAX_COST_CENTS, type QuoteRequest, type Wanted } from './quote.ts';

/** The valid fields of a request. An amount that is present but invalid is null. */
type QuoteDraft = {
  readonly accountId?: string;
  readonly symbol?: AssetSymbol;
  readonly network?: Network;
  readonly currency?: Currency;
  /** Decimal text. */
  readonly cost?: string | null;
  readonly quantity?: string | null;
};

export type CheckedQuote = { readonly request?: QuoteRequest; readonly faults: readonly Fault[] };

const CENT_DECIMALS = 2;

/** The checked request, or its faults. The schema reports other missing fields. */
export function checkQuote(draft: QuoteDraft): CheckedQuote {
  const { accountId, symbol, network, currency } = draft;
  const networkFaults = checkNetwork(symbol, network);
  const amountFaults = checkOneAmount(draft);
  const faults = [...networkFaults, ...amountFaults];
  const decimals = networkFaults.length === 0 && symbol && network ? decimalsOf(symbol, network) : undefined;
  const wanted = amountFaults.length === 0 ? readWanted(draft, decimals, faults) : undefined;
  if (faults.length > 0 || !symbol || !network || !currency || !wanted) return { faults };
  return { request: { symbol, network, currency, wanted, ...(accountId !== undefined && { accountId }) }, faults };
}

/** Refuses an asset on a network that does not have it. */
export function checkNetwork(symbol: AssetSymbol | undefined, network: Network | undefined): Fault[] {
  if (!symbol || !network) return [];
  const networks: readonly Network[] = NETWORKS_OF[symbol];
  if (networks.includes(network)) return [];
  const message = `must be one that has ${symbol}: ${networks.join(', ')}`;
  return [{ path: 'network', code: 'not_on_network', message }];
}

function checkOneAmount({ cost, quantity }: QuoteDraft): Fault[] {
  if ((cost === undefined) !== (quantity === undefined)) return [];
  const message = cost === undefined ? 'is required unless the other is given' : 'must not be combined with the other';
  return ['cost', 'quantity'].map(path => ({
    path,
    code: 'exactly_one',
    message: `${message}: exactly one of cost and quantity`,
  }));
}

/** Reads the amount. Without `decimals`, because symbol or network is wrong, checks only what does not depend on them. */
function readWanted({ cost, quantity }: QuoteDraft, decimals: number | undefined, faults: Fault[]): Wanted | undefined {
  if (cost != null) {
    const costCents = readAmount('cost', cost, CENT_DECIMALS, faults);
    if (costCents === undefined) return undefined;
    if (costCents <= MAX_COST_CENTS) return { costCents };
    faults.push({ path: 'cost', code: 'maximum', message: `must be at most ${MAX_COST}` });
  }
  if (quantity != null) {
    const units = readAmount('quantity', quantity, decimals, faults);
    if (units !== undefined) return { units };
  }
  return undefined;
}

export const MAX_COST = formatUnits(MAX_COST_CENTS, CENT_DECIMALS);

function readAmount(path: string, text: string, decimals: number | undefined, faults: Fault[]): bigint | undefined {
  const refuse = (code: string, message: string) => void faults.push({ path, code, message });
  if (!/^-?\d+(\.\d+)?$/.test(text)) return refuse('format', 'must be a number or decimal text such as 150.25');
  if (text.startsWith('-') || !/[1-9]/.test(text)) return refuse('minimum', 'must be above 0');
  if (decimals === undefined) return undefined;
  const units = parseUnits(text, decimals);
  return units ?? refuse('too_many_decimals', `must have at most ${decimals} decimals`);
}
