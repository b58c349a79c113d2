// Asks nodes what a transfer would do if it were executed now: the energy that it needs, or why it would fail.
import { type Unknown, unlessRefused } from '../agreed-refusal.ts';
import type { Check, Funds, Intent } from '../chain.ts';
import type { SentSymbol } from '../networks.ts';
import { addressWord, readWord, SELECTORS, transferCall } from './abi.ts';
import type { ConstantCall } from './answers.ts';
import type { TronAsset } from './assets.ts';
import { feeLimitOf, worstCoinFee, worstTokenFee } from './fees.ts';
import { firstAnswer, type Node, type Side } from './nodes.ts';
import type { Asked } from './provider.ts';

type Fee = { readonly kind: 'fee'; readonly feeLimit: bigint };
type Refusal = Extract<Check, { readonly kind: 'refused' }>;

/** Tokens whose issuer can block addresses; Tether uses the same call on every network. */
const WITH_BLOCKLIST: readonly SentSymbol[] = ['usdt'];

/** The fee limit for a transfer of a token; a refusal when two nodes say, or the only one, that it would fail or cost more than the cap. */
export function estimateFee(
  nodes: readonly Node[],
  intent: Intent,
  contract: string,
  cap: bigint,
): Promise<Fee | Refusal | Unknown> {
  return unlessRefused(nodes, node => estimateBy(node, intent, contract, cap));
}

async function estimateBy(
  node: Node,
  { sender, to, units }: Intent,
  contract: string,
  cap: bigint,
): Promise<Fee | Refusal | Unknown> {
  const call = await askCall([node], sender, contract, transferCall(to, units));
  if (call.failure !== undefined) return unknown(call.failure);
  if (call.value.kind === 'failed') return { kind: 'refused', reason: 'would_revert', message: call.value.message };
  const parameters = await node.parameters();
  if (parameters.failure !== undefined) return unknown(parameters.failure);
  const feeLimit = feeLimitOf(call.value.energy, parameters.value, cap);
  if (feeLimit !== undefined) return { kind: 'fee', feeLimit };
  const message = `the call needs ${call.value.energy} energy, which costs more than the cap of ${cap} sun`;
  return { kind: 'refused', reason: 'fee_too_high', message };
}

/**
 * Whether a transfer could be executed now, as two nodes say, or the only one. The balance of the sender is not judged here: `fundsOf`
 * reads it.
 */
export async function checkTransfer(
  nodes: readonly Node[],
  intent: Intent,
  asset: TronAsset,
  cap: bigint,
): Promise<Check> {
  const check = await unlessRefused<Node, Ready | Refusal>(nodes, node => checkBy(node, intent, asset, cap));
  return check;
}

type Ready = { readonly kind: 'ready' };
const READY: Ready = { kind: 'ready' };

async function checkBy(node: Node, intent: Intent, asset: TronAsset, cap: bigint): Promise<Ready | Refusal | Unknown> {
  if (asset.kind === 'coin') return checkCoin(node, intent);
  const blocked = await findBlocked([node], intent, asset.contract);
  if (blocked.failure !== undefined) return unknown();
  if (blocked.value !== undefined) {
    return { kind: 'refused', reason: 'blocked', message: `the issuer of the token blocks the ${blocked.value}` };
  }
  const balance = await tokenBalance([node], intent.sender, asset.contract);
  if (balance.failure !== undefined) return unknown();
  // Without the balance the call fails for that reason alone, which says nothing about the payee.
  if (balance.value < intent.units) return READY;
  const fee = await estimateBy(node, intent, asset.contract, cap);
  if (fee.kind === 'unknown') return unknown();
  return fee.kind === 'fee' ? READY : fee;
}

function unknown(message?: string): Unknown {
  return { kind: 'unknown', ...(message !== undefined && { message }) };
}

/** The network refuses plain transfers of TRX to contracts. */
async function checkCoin(node: Node, { to }: Intent): Promise<Ready | Refusal | Unknown> {
  const account = await node.account(to);
  if (account.failure !== undefined) return unknown();
  if (!account.value.isContract) return READY;
  return { kind: 'refused', reason: 'would_revert', message: 'TRX cannot be transferred to a contract' };
}

async function findBlocked(
  nodes: readonly Node[],
  { sender, to, symbol }: Intent,
  contract: string,
): Promise<Asked<'sender' | 'payee' | undefined>> {
  if (!WITH_BLOCKLIST.includes(symbol)) return { value: undefined };
  for (const [role, address] of [['payee', to] as const, ['sender', sender] as const]) {
    const call = await askCall(nodes, sender, contract, SELECTORS.isBlackListed + addressWord(address));
    if (call.failure !== undefined) return call;
    const isBlocked = call.value.kind === 'returned' ? readWord(call.value.words[0]) : undefined;
    if (isBlocked === undefined) return { failure: 'the token does not say whether it blocks an address' };
    if (isBlocked !== 0n) return { value: role };
  }
  return { value: undefined };
}

export async function fundsOf(
  nodes: readonly Node[],
  sender: string,
  asset: TronAsset,
  cap: bigint,
): Promise<Funds | undefined> {
  const [account, parameters, balance] = await Promise.all([
    firstAnswer(nodes, node => node.account(sender)),
    firstAnswer(nodes, node => node.parameters()),
    asset.kind === 'token' ? tokenBalance(nodes, sender, asset.contract) : undefined,
  ]);
  if (account.failure !== undefined || parameters.failure !== undefined || balance?.failure !== undefined) {
    return undefined;
  }
  const coin = account.value.balance;
  const worstFee = balance ? worstTokenFee(parameters.value, cap) : worstCoinFee(parameters.value);
  return { asset: balance?.value ?? coin, coin, worstFee };
}

/** At the head, unless a side is given. */
export async function tokenBalance(
  nodes: readonly Node[],
  address: string,
  contract: string,
  side?: Side,
): Promise<Asked<bigint>> {
  const asked = await askCall(nodes, address, contract, SELECTORS.balanceOf + addressWord(address), side);
  if (asked.failure !== undefined) return asked;
  const balance = asked.value.kind === 'returned' ? readWord(asked.value.words[0]) : undefined;
  return balance === undefined
    ? { failure: 'the token does not return the balance of the sender' }
    : { value: balance };
}

function askCall(
  nodes: readonly Node[],
  from: string,
  contract: string,
  data: string,
  side?: Side,
): Promise<Asked<ConstantCall>> {
  return firstAnswer(nodes, node => node.call({ from, contract, data }, side));
}
