// What may leave in live while the settings do not say how much: enough to try the service out with real money, and little enough
// that a mistake does not empty a sender.
import type { Network } from '../chains/asset.ts';
import { decimalsOf, type SentSymbol } from '../chains/networks.ts';
import { parseUnits } from '../lib/decimals.ts';
import type { Log } from '../lib/log.ts';

/** In units of the asset; worth about as much of each. */
export const DEFAULT_LIMITS = {
  usdt: { perPayout: '1000', perDay: '5000' },
  usdc: { perPayout: '1000', perDay: '5000' },
  trx: { perPayout: '3000', perDay: '15000' },
  eth: { perPayout: '0.3', perDay: '1.5' },
  pol: { perPayout: '3000', perDay: '15000' },
  bnb: { perPayout: '1', perDay: '5' },
} as const satisfies { readonly [S in SentSymbol]: { readonly perPayout: string; readonly perDay: string } };

type Asset = { readonly symbol: SentSymbol; readonly network: Network };

export function defaultLimitsOf({ symbol, network }: Asset): { readonly perPayout: bigint; readonly perDay: bigint } {
  const decimals = decimalsOf(symbol, network);
  const { perPayout, perDay } = DEFAULT_LIMITS[symbol];
  return { perPayout: parseUnits(perPayout, decimals)!, perDay: parseUnits(perDay, decimals)! };
}

/** A line of the log for each asset at the start: how much may leave of each asset for which the settings do not say it. */
export function warnOfDefaultLimits(log: Log, assets: readonly Asset[]): void {
  for (const symbol of new Set(assets.map(asset => asset.symbol))) {
    const networks = assets.filter(asset => asset.symbol === symbol).map(({ network }) => network);
    const { perPayout, perDay } = DEFAULT_LIMITS[symbol];
    const reason = `${symbol} on ${networks.join(', ')}: ${perPayout} a payout, ${perDay} in 24 hours`;
    log.warn('small limits hold for payouts of an asset; set perPayout and perDay in payouts.limits', { reason });
  }
}
