// The limits in live while the settings set no limits: enough to try the service with real money, and small enough that a mistake does not
// empty a sender.
import assert from 'node:assert/strict';
import type { Network } from '../../chains/asset.ts';
import type { DefaultLimits, NetworkFacts } from '../../chains/family.ts';
import { decimalsOf, NETWORK_FACTS, ofToken, type SentSymbol } from '../../chains/networks.ts';
import type { AssetSymbol } from '../../chains/symbol.ts';
import { parseUnits } from '../../lib/decimals.ts';
import type { Log } from '../../lib/log.ts';

/** Roughly the same value for each. A coin that only pays fees has its limits in the file of its network. */
const ASSET_LIMITS: { readonly [S in AssetSymbol]: DefaultLimits } = {
  usdt: { perPayout: '1000', perDay: '5000' },
  usdc: { perPayout: '1000', perDay: '5000' },
  trx: { perPayout: '3000', perDay: '15000' },
  eth: { perPayout: '0.3', perDay: '1.5' },
};

type Asset = { readonly symbol: SentSymbol; readonly network: Network };

export function defaultLimitsOf(asset: Asset): { readonly perPayout: bigint; readonly perDay: bigint } {
  const decimals = decimalsOf(asset.symbol, asset.network);
  const { perPayout, perDay } = inUnits(asset);
  return { perPayout: parseUnits(perPayout, decimals)!, perDay: parseUnits(perDay, decimals)! };
}

function inUnits({ symbol, network }: Asset): DefaultLimits {
  const { coin }: NetworkFacts = NETWORK_FACTS[network];
  const limits = ofToken(ASSET_LIMITS, symbol) ?? coin.limits;
  assert(limits, `${symbol} on ${network} has no limits`);
  return limits;
}

/** Logs, at the start, the limits of each asset that the settings do not limit. */
export function warnOfDefaultLimits(log: Log, assets: readonly Asset[]): void {
  for (const symbol of new Set(assets.map(asset => asset.symbol))) {
    const networks = assets.filter(asset => asset.symbol === symbol).map(({ network }) => network);
    const { perPayout, perDay } = inUnits({ symbol, network: networks[0]! });
    const reason = `${symbol} on ${networks.join(', ')}: ${perPayout} a payout, ${perDay} in 24 hours`;
    log.warn('small limits hold for payouts of an asset; set perPayout and perDay in payouts.limits', { reason });
  }
}
