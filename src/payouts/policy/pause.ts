// Pauses: an operator stops claims of all payouts, of a network, of an asset, or of an asset on a network. Payouts with a slot are
// still sent and looked up.
import { type AssetSymbol, type Network, SYMBOLS } from '../../chains/asset.ts';
import type { SentSymbol } from '../../chains/networks.ts';

/** What is paused; without either, everything. */
export type PauseScope = { readonly network?: Network; readonly symbol?: AssetSymbol };

export type Pause = PauseScope & {
  readonly id: string;
  readonly reason?: string;
  readonly pausedAt: Date;
  /** Who paused, as in the audit log. */
  readonly pausedBy: string;
};

type Asset = { readonly network: Network; readonly symbol: SentSymbol };

/** The pause that stops payouts of an asset on a network, the widest first. */
export function coveringPause(pauses: readonly Pause[], { network, symbol }: Asset): Pause | undefined {
  const covering = pauses.filter(
    pause => (pause.network ?? network) === network && (pause.symbol ?? symbol) === symbol,
  );
  return covering.toSorted((a, b) => breadthOf(b) - breadthOf(a))[0];
}

function breadthOf({ network, symbol }: PauseScope): number {
  return (network === undefined ? 2 : 0) + (symbol === undefined ? 1 : 0);
}

/** The assets of a network that are paused. */
export function pausedSymbols(pauses: readonly Pause[], network: Network): AssetSymbol[] {
  return SYMBOLS.filter(symbol => coveringPause(pauses, { network, symbol }));
}

/** The message of payouts that wait for its end. */
export function pauseMessage(pause: Pause): string {
  return `${pausedScope(pause)} are paused${pause.reason === undefined ? '' : `: ${pause.reason}`}.`;
}

/** The scope of a pause, as the subject of a sentence. */
export function pausedScope({ network, symbol }: PauseScope): string {
  const of = symbol === undefined ? '' : ` of ${symbol}`;
  const on = network === undefined ? '' : ` on ${network}`;
  return symbol === undefined && network === undefined ? 'All payouts' : `Payouts${of}${on}`;
}
