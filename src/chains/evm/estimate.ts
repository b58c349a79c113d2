// How much gas a transaction takes, and whether it would fail, as a node says that tries it out.
import type { Provider, Said } from './provider.ts';
import { readQuantity } from './read.ts';
import type { EvmPlan } from './settings.ts';

export type Draft = { readonly to: string; readonly value: bigint; readonly data: string };

/** `words`: what the nodes said that answered. */
export type Unknown = { readonly kind: 'unknown'; readonly words?: string };

export type Estimate =
  /** With a margin. */
  | { readonly kind: 'gas'; readonly gas: bigint }
  /** It would fail, or take more gas than it may. */
  | { readonly kind: 'fails'; readonly words: string }
  | Unknown;

type Refusal = Extract<Said<unknown>, { readonly kind: 'refusal' }>;

const OUT_OF_GAS = /gas required exceeds|out of gas/i;
/** Codes that are about the node or the request: EIP-1474, without those that nodes use for what fails. */
const NODE_CODES = [-32_700, -32_600, -32_601, -32_602, -32_001, -32_002, -32_004];

/** As the first provider says that knows it. */
export function estimate(
  { providers, plan }: { readonly providers: readonly Provider[]; readonly plan: EvmPlan },
  from: string,
  draft: Draft,
): Promise<Estimate> {
  return firstKnown(providers, provider => estimateBy(provider, plan, from, draft));
}

export async function estimateBy(provider: Provider, plan: EvmPlan, from: string, draft: Draft): Promise<Estimate> {
  const said = await ask(provider, plan, from, draft);
  if (said.kind === 'silence') return { kind: 'unknown' };
  if (said.kind === 'value') return gasOf(plan, said.value);
  if (isRevert(said)) return OUT_OF_GAS.test(said.words) ? tooMuch(plan) : { kind: 'fails', words: said.words };
  const { code, words } = said;
  if (NODE_CODES.includes(code)) return { kind: 'unknown', words };
  // Nodes have many words for what fails, and the same codes for troubles of their own. One that says it again, and tries out
  // beside it a transfer that cannot fail, speaks of this one.
  const [again, other] = await Promise.all([
    ask(provider, plan, from, draft),
    ask(provider, plan, from, { to: from, value: 0n, data: '0x' }),
  ]);
  if (again.kind === 'value') return gasOf(plan, again.value);
  const isAboutThis = again.kind === 'refusal' && other.kind === 'value';
  return { kind: isAboutThis ? 'fails' : 'unknown', words };
}

/** The first answer that is known, in the order of the providers; or what those said that answered. */
export async function firstKnown<T extends { readonly kind: string; readonly words?: string }>(
  providers: readonly Provider[],
  askOne: (provider: Provider) => Promise<T>,
): Promise<T | Unknown> {
  const words: string[] = [];
  for (const provider of providers) {
    const answer = await askOne(provider);
    if (answer.kind !== 'unknown') return answer;
    if (answer.words !== undefined) words.push(`${provider.name}: ${answer.words}`);
  }
  return { kind: 'unknown', ...(words.length > 0 && { words: words.join('; ') }) };
}

/** With the cap: a node that tried the code of a payee out for longer would seem to be silent. */
function ask(provider: Provider, { maxGas }: EvmPlan, from: string, { to, value, data }: Draft): Promise<Said<bigint>> {
  const call = { from, to, value: `0x${value.toString(16)}`, data, gas: `0x${maxGas.toString(16)}` };
  // Without what waits in the pool: a transfer to the same payee there, which may never be mined, would make this one cheaper.
  return provider.ask('eth_estimateGas', [call, 'latest'], readQuantity);
}

function gasOf(plan: EvmPlan, estimated: bigint): Estimate {
  const gas = (estimated * (100n + plan.facts.gasMarginPercent) + 99n) / 100n;
  return gas > plan.maxGas ? tooMuch(plan) : { kind: 'gas', gas };
}

function tooMuch({ maxGas }: EvmPlan): Estimate {
  return { kind: 'fails', words: `the transfer takes more gas than maxGas allows, ${maxGas}` };
}

/** A refusal that is about the transaction, and not about the node. Code 3: EIP-1474 as geth fills it. */
export function isRevert(said: Said<unknown>): said is Refusal {
  if (said.kind !== 'refusal') return false;
  return said.code === 3 || /revert|gas required exceeds|out of gas|invalid opcode|insufficient/i.test(said.words);
}
