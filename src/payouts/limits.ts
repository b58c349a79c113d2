// How much may leave: for each asset on each network by payout, by rolling day, and by rolling day to one address.
import { type AssetSymbol, NETWORKS_OF, type Network, SYMBOLS } from '../chains/asset.ts';
import { decimalsOf } from '../chains/networks.ts';
import type { LimitSettings } from '../config/payout-settings.ts';
import { parseUnits } from '../lib/decimals.ts';
import { StartError } from '../lib/errors.ts';
import { checkNetwork } from '../quotes/check.ts';

/** Smallest units of one asset on one network. */
export type AssetLimits = {
  readonly perPayout?: bigint;
  /** Payouts above it wait for an approval. */
  readonly approvalAbove?: bigint;
  readonly perDay?: bigint;
  readonly perDayToAddress?: bigint;
  /** What the sender should have at least and at most; an alarm is raised otherwise. */
  readonly lowFunds?: bigint;
  readonly ceiling?: bigint;
};

/** By `usdt.polygon`. An asset without limits is absent. */
export type PayoutLimits = ReadonlyMap<string, AssetLimits>;

const AMOUNT_FIELDS = [
  'perPayout',
  'approvalAbove',
  'perDay',
  'perDayToAddress',
  'lowFunds',
  'ceiling',
] as const satisfies (keyof AssetLimits)[];

type Asset = { readonly symbol: AssetSymbol; readonly network: Network };

export function limitsOf(limits: PayoutLimits, { symbol, network }: Asset): AssetLimits {
  return limits.get(`${symbol}.${network}`) ?? {};
}

/**
 * The limits of the settings. An entry without a network holds for each network of its asset that has no entry of its own, for
 * each by itself. Throws a StartError that names every fault.
 */
export function openLimits(settings: readonly LimitSettings[]): PayoutLimits {
  const faults = settings.flatMap(({ symbol, network }) =>
    checkNetwork(symbol, network).map(({ message }) => `payouts.limits of ${symbol}: network ${message}.`),
  );
  const assets = SYMBOLS.flatMap(symbol => NETWORKS_OF[symbol].map((network: Network) => ({ symbol, network })));
  const limits = assets.flatMap(({ symbol, network }) => {
    const ofSymbol = settings.filter(entry => entry.symbol === symbol);
    const entry = ofSymbol.find(one => one.network === network) ?? ofSymbol.find(one => one.network === undefined);
    return entry ? [[`${symbol}.${network}`, amountsOf(entry, { symbol, network }, faults)] as const] : [];
  });
  if (faults.length > 0) throw new StartError([...new Set(faults)].join('\n'));
  return new Map(limits);
}

function amountsOf(entry: LimitSettings, { symbol, network }: Asset, faults: string[]): AssetLimits {
  const decimals = decimalsOf(symbol, network);
  const amounts = AMOUNT_FIELDS.flatMap(field => {
    const text = entry[field];
    if (text === undefined) return [];
    const units = parseUnits(text, decimals);
    if (units !== undefined) return [[field, units] as const];
    faults.push(`payouts.limits of ${symbol}: ${field} must have at most ${decimals} decimals on ${network}.`);
    return [];
  });
  return Object.fromEntries(amounts);
}
