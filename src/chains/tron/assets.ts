// The contract of each asset on Tron; TRX is the coin itself.
import type { AssetSymbol } from '../asset.ts';
import { ofToken, type SentSymbol } from '../networks.ts';
import { tron } from './network.ts';

/** The contract of each token, by its symbol. */
export type TronTokens = { readonly [S in AssetSymbol]?: { readonly address: string; readonly decimals: number } };

export const MAINNET_TOKENS: TronTokens = tron.tokens;

/** Tokens at other addresses, with the decimals of the real ones. */
export function tokensAt(addresses: { readonly [S in AssetSymbol]?: string }): TronTokens {
  const { decimals } = tron.tokens.usdt;
  return addresses.usdt === undefined ? {} : { usdt: { address: addresses.usdt, decimals } };
}

export type TronAsset = { readonly kind: 'coin' } | { readonly kind: 'token'; readonly contract: string };

/** Undefined for an asset that does not exist on Tron, or not on the network that stands in for it. */
export function assetOf(symbol: SentSymbol, tokens: TronTokens): TronAsset | undefined {
  if (symbol === tron.coin.symbol) return { kind: 'coin' };
  const token = ofToken(tokens, symbol);
  return token && { kind: 'token', contract: token.address };
}
