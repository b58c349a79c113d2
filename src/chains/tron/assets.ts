// Which contract an asset of Tron has: TRX is the coin itself.
import type { AssetSymbol } from '../asset.ts';
import { NETWORK_FACTS } from '../networks.ts';

/** The contract of each token, by its symbol. */
export type TronTokens = { readonly [S in AssetSymbol]?: { readonly address: string; readonly decimals: number } };

export const MAINNET_TOKENS: TronTokens = NETWORK_FACTS.tron.tokens;

export type TronAsset = { readonly kind: 'coin' } | { readonly kind: 'token'; readonly contract: string };

/** Refuses an asset that does not exist on Tron. */
export function assetOf(symbol: AssetSymbol, tokens: TronTokens): TronAsset {
  if (symbol === NETWORK_FACTS.tron.coin.symbol) return { kind: 'coin' };
  const token = tokens[symbol];
  if (!token) throw new RangeError(`there is no ${symbol} on tron`);
  return { kind: 'token', contract: token.address };
}
