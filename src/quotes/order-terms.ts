// The terms for orders of an asset on a network: the minimum, so that the network fee is covered, and the payer's share of that fee.
import { type AssetSymbol, NETWORKS_OF, type Network, SYMBOLS } from '../chains/asset.ts';
import { decimalsOf, minimumOf } from '../chains/networks.ts';
import { formatUnits, parseUnits } from '../lib/decimals.ts';
import { StartError } from '../lib/errors.ts';
import type { TermEntry } from './term-fields.ts';

/** Smallest units of the asset. */
type OrderTerms = {
  readonly minimum: bigint;
  /** Deducted from what the payer gets; zero: the operator bears the fee. */
  readonly networkFee: bigint;
};

/** By `usdt.polygon`; every pair has one. */
export type AllOrderTerms = ReadonlyMap<string, OrderTerms>;

type Asset = { readonly symbol: AssetSymbol; readonly network: Network };

/** The terms in `payouts.limits`; an entry for the network takes precedence over one for all. Throws a StartError that names every fault. */
export function openOrderTerms(settings: readonly TermEntry[]): AllOrderTerms {
  const faults: string[] = [];
  const assets = SYMBOLS.flatMap(symbol => NETWORKS_OF[symbol].map((network: Network) => ({ symbol, network })));
  const terms = assets.map(({ symbol, network }) => {
    const ofSymbol = settings.filter(entry => entry.symbol === symbol);
    const entry = ofSymbol.find(one => one.network === network) ?? ofSymbol.find(one => one.network === undefined);
    const decimals = decimalsOf(symbol, network);
    const read = (field: 'minimum' | 'networkFee', fallback: string) => {
      const units = parseUnits(entry?.[field] ?? fallback, decimals);
      if (units !== undefined) return units;
      faults.push(`payouts.limits of ${symbol}: ${field} must have at most ${decimals} decimals on ${network}.`);
      return 0n;
    };
    const minimum = read('minimum', minimumOf(symbol, network));
    return [nameOf({ symbol, network }), { minimum, networkFee: read('networkFee', '0') }] as const;
  });
  if (faults.length > 0) throw new StartError([...new Set(faults)].join('\n'));
  return new Map(terms);
}

export function orderTermsOf(terms: AllOrderTerms, asset: Asset): OrderTerms {
  const found = terms.get(nameOf(asset));
  if (!found) throw new RangeError(`there is no ${asset.symbol} on ${asset.network}`);
  return found;
}

/** The minimum, for a refusal. */
export function minimumText(minimum: bigint, { symbol, network }: Asset): string {
  return `${formatUnits(minimum, decimalsOf(symbol, network))} ${symbol} on ${network}`;
}

const nameOf = ({ symbol, network }: Asset) => `${symbol}.${network}`;
