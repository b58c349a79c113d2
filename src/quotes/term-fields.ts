// The fields of an entry of `payouts.limits` about orders of its asset.
import type { Network } from '../chains/asset.ts';
import { AmountOfAny } from '../chains/entry-fields.ts';
import type { SentSymbol } from '../chains/networks.ts';

export const TERM_FIELDS = { minimum: AmountOfAny(), networkFee: AmountOfAny() } as const;

/** The amounts are decimal text. */
export type TermEntry = {
  readonly symbol: SentSymbol;
  readonly network?: Network;
  readonly minimum?: string;
  readonly networkFee?: string;
};
