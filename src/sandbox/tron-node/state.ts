// The state of the chain after a block: accounts, and token contracts with their balances. A block with transactions gets a copy, so that
// a fork can go back.

export type Account = {
  balance: bigint;
  /** Bandwidth used of the free daily amount, and when. */
  freeNetUsed: number;
  freeNetAtMs: number;
};

/**
 * How a token behaves. `keeping`: a hundredth of each transfer goes to the issuer. `unmoved`: the call succeeds and moves
 * nothing. `reverting_in_blocks`: estimates succeed, blocks revert, as when the state changes in between.
 */
const TOKEN_BEHAVIOURS = ['normal', 'keeping', 'reverting', 'reverting_in_blocks', 'unmoved'] as const;
type TokenBehaviour = (typeof TOKEN_BEHAVIOURS)[number];

export type Token = {
  decimals: number;
  behaviour: TokenBehaviour;
  issuer: string;
  balances: Map<string, bigint>;
  blocked: Set<string>;
  /** Energy of a transfer to an address that already has some of the token, and to one that does not. */
  energy: { toHolder: bigint; toOthers: bigint };
};

export type State = { readonly accounts: Map<string, Account>; readonly tokens: Map<string, Token> };

/** The parameters that the producers vote on, as of 2026. */
export type Parameters = {
  energyFee: bigint;
  transactionFee: bigint;
  createAccountFee: bigint;
  createNewAccountFee: bigint;
  maxFeeLimit: bigint;
  freeNetLimit: number;
};

export const PARAMETERS: Parameters = {
  energyFee: 100n,
  transactionFee: 1_000n,
  createAccountFee: 100_000n,
  createNewAccountFee: 1_000_000n,
  maxFeeLimit: 15_000_000_000n,
  freeNetLimit: 600,
};

export function copyState(state: State): State {
  return structuredClone(state);
}

/** The last forty digits of an address of 21 bytes. */
export const bodyOf = (address: string) => address.slice(2);
