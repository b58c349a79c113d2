// How much gas a transaction takes, and whether it would fail, as nodes simulate it.
import { type Unknown, unlessRefused } from '../agreed-refusal.ts';
import type { Provider, Reply } from './provider.ts';
import { readQuantity } from './read.ts';
import type { EvmPlan } from './settings.ts';

export type Draft = { readonly to: string; readonly value: bigint; readonly data: string };

export type Estimate =
  /** With a margin. */
  | { readonly kind: 'gas'; readonly gas: bigint }
  /** It would fail, or take more gas than it may. */
  | { readonly kind: 'refused'; readonly message: string }
  | Unknown;

type Refusal = Extract<Reply<unknown>, { readonly kind: 'refusal' }>;

const ABOUT_TRANSACTION = /revert|gas required exceeds|out of gas|invalid opcode|insufficient (?:funds|balance)/i;
/** Credits, quotas, keys, plans and methods: what providers say about themselves. */
const ABOUT_NODE =
  /credit|quota|rate.?limit|limit.*(?:reached|exceeded)|too many|throttl|compute units|capacity|overload|\bplan\b|subscri|billing|payment|upgrade|api.?key|auth|forbidden|access denied|\bmethod\b|not (?:supported|available|enabled)|disabled/i;
const OUT_OF_GAS = /gas required exceeds|out of gas/i;
/** Codes that are about the node or the request: EIP-1474, without those that nodes use for what fails. */
const NODE_CODES = [-32_700, -32_600, -32_601, -32_602, -32_001, -32_002, -32_004];

/** The estimate is that of the first provider with one; a failure needs two. */
export function estimate(
  { providers, plan }: { readonly providers: readonly Provider[]; readonly plan: EvmPlan },
  from: string,
  draft: Draft,
): Promise<Estimate> {
  return unlessRefused(providers, provider => estimateBy(provider, plan, from, draft));
}

export async function estimateBy(provider: Provider, plan: EvmPlan, from: string, draft: Draft): Promise<Estimate> {
  const reply = await ask(provider, plan, from, draft);
  if (reply.kind === 'silence') return { kind: 'unknown' };
  if (reply.kind === 'value') return gasOf(plan, draft, reply.value);
  const { code, message } = reply;
  const isAboutTransfer = isRevert(reply);
  if (!isAboutTransfer && (NODE_CODES.includes(code) || ABOUT_NODE.test(message))) return { kind: 'unknown', message };
  // Nodes describe a failing transfer in many ways, and use the same codes for problems of their own. A node that repeats the refusal while
  // it estimates a transfer that cannot fail does mean this transfer.
  const [again, other] = await Promise.all([
    isAboutTransfer ? reply : ask(provider, plan, from, draft),
    ask(provider, plan, from, { to: from, value: 0n, data: '0x' }),
  ]);
  if (again.kind === 'value') return gasOf(plan, draft, again.value);
  if (again.kind !== 'refusal' || other.kind !== 'value') return { kind: 'unknown', message };
  return isAboutTransfer && OUT_OF_GAS.test(message) ? tooMuch(plan) : { kind: 'refused', message };
}

/** With the cap: a node that executed the code of a payee for longer would seem not to answer. */
function ask(
  provider: Provider,
  { maxGas }: EvmPlan,
  from: string,
  { to, value, data }: Draft,
): Promise<Reply<bigint>> {
  const call = { from, to, value: `0x${value.toString(16)}`, data, gas: `0x${maxGas.toString(16)}` };
  // Without the pool: a pending transfer to the same payee, which may never be mined, would make this one look cheaper.
  return provider.ask('eth_estimateGas', [call, 'latest'], readQuantity);
}

/**
 * The extra cost of writing a balance that was zero (EIP-2200 and 2929): the payee may spend all of its tokens between the estimate and the
 * block. A gas limit that is not used up costs nothing.
 */
const EMPTY_BALANCE_GAS = 17_100n;

function gasOf({ facts, maxGas }: EvmPlan, { data }: Draft, estimated: bigint): Estimate {
  const gas = (estimated * (100n + facts.gasMarginPercent) + 99n) / 100n;
  if (gas > maxGas) return tooMuch({ maxGas });
  const covered = data === '0x' ? gas : gas + EMPTY_BALANCE_GAS;
  return { kind: 'gas', gas: covered < maxGas ? covered : maxGas };
}

function tooMuch({ maxGas }: Pick<EvmPlan, 'maxGas'>): Estimate {
  return { kind: 'refused', message: `the transfer takes more gas than maxGas allows, ${maxGas}` };
}

/**
 * A refusal that is about the transaction, not about the node: by the code or the data of a revert, or by a message that no provider uses
 * for problems of its own. Code 3: geth's extension of EIP-1474.
 */
export function isRevert(reply: Reply<unknown>): reply is Refusal {
  if (reply.kind !== 'refusal') return false;
  const { code, message, hasData } = reply;
  return (
    code === 3 ||
    hasData === true ||
    (ABOUT_TRANSACTION.test(message) && (/revert/i.test(message) || !ABOUT_NODE.test(message)))
  );
}
