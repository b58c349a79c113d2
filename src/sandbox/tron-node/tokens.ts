// The bytecode of the tokens, as functions: what a call does, which logs it writes and how much energy it needs.
import { bodyOf, type State, type Token } from './state.ts';

export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string };

type CallResult =
  | { readonly kind: 'returned'; readonly energy: bigint; readonly value: string; readonly logs: readonly Log[] }
  | { readonly kind: 'reverted'; readonly energy: bigint };

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const READ_ENERGY = 600n;
const REVERT_ENERGY = 9_000n;
const KEPT_SHARE = 100n;

/** Carries a call out on a state, which it changes; `isConstant` calls are estimates. */
export function callToken(
  state: State,
  contract: string,
  caller: string,
  data: Buffer,
  isConstant: boolean,
): CallResult {
  const token = state.tokens.get(contract);
  const selector = data.subarray(0, 4).toString('hex');
  const [first = 0n, second = 0n] = wordsOf(data.subarray(4));
  if (!token) return { kind: 'reverted', energy: 0n };
  switch (selector) {
    case 'a9059cbb':
      return transfer(token, contract, caller, addressOfWord(first), second, isConstant);
    case '70a08231':
      return returned(token.balances.get(addressOfWord(first)) ?? 0n);
    case '313ce567':
      return returned(BigInt(token.decimals));
    case 'e47d6060':
      return returned(token.blocked.has(addressOfWord(first)) ? 1n : 0n);
    default:
      return { kind: 'reverted', energy: READ_ENERGY };
  }
}

function transfer(
  token: Token,
  contract: string,
  from: string,
  to: string,
  amount: bigint,
  isConstant: boolean,
): CallResult {
  const { behaviour, balances, blocked, issuer, energy } = token;
  const balance = balances.get(from) ?? 0n;
  const isReverting = behaviour === 'reverting' || (behaviour === 'reverting_in_blocks' && !isConstant);
  if (isReverting || blocked.has(from) || balance < amount) return { kind: 'reverted', energy: REVERT_ENERGY };
  const needed = (balances.get(to) ?? 0n) > 0n ? energy.toHolder : energy.toOthers;
  if (behaviour === 'unmoved') return { ...returned(0n), energy: needed };
  const kept = behaviour === 'keeping' ? amount / KEPT_SHARE : 0n;
  const logs: Log[] = [];
  const move = (payee: string, units: bigint) => {
    balances.set(from, (balances.get(from) ?? 0n) - units);
    balances.set(payee, (balances.get(payee) ?? 0n) + units);
    logs.push({ address: bodyOf(contract), topics: [TRANSFER, word(from), word(payee)], data: wordOf(units) });
  };
  move(to, amount - kept);
  if (kept > 0n) move(issuer, kept);
  // Tether's contract on Tron returns false although it has moved the units.
  return { ...returned(0n), energy: needed, logs };
}

function returned(value: bigint): Extract<CallResult, { readonly kind: 'returned' }> {
  return { kind: 'returned', energy: READ_ENERGY, value: wordOf(value), logs: [] };
}

function wordsOf(data: Buffer): bigint[] {
  const digits = data.toString('hex');
  return [...(digits.match(/.{64}/g) ?? [])].map(each => BigInt(`0x${each}`));
}

const wordOf = (value: bigint) => value.toString(16).padStart(64, '0');
const word = (address: string) => bodyOf(address).padStart(64, '0');
const addressOfWord = (value: bigint) => `41${BigInt.asUintN(160, value).toString(16).padStart(40, '0')}`;
