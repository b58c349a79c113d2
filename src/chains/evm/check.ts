// Whether a transfer could be carried out now: the node tries it out, the issuer of the token is asked for its blocklist,
// and the fee must fit below the cap. Asked before a slot is taken, since a slot that reverts is used up.
import type { AssetSymbol } from '../asset.ts';
import type { Check, CheckReason, Intent } from '../chain.ts';
import { balanceOfData, blocklistData, FEE_RATE_DATA, transferData } from './contracts.ts';
import { FEE_ABOVE_CAP, nextBid } from './fees.ts';
import type { TokenQuestions } from './networks.ts';
import type { Provider, Said } from './provider.ts';
import { readQuantity, readWord } from './read.ts';
import { contractOf, type EvmPlan } from './settings.ts';
import { firstOf, type Watch } from './watch.ts';

export type Draft = { readonly to: string; readonly value: bigint; readonly data: string };

export type EstimateDeps = { readonly providers: readonly Provider[]; readonly plan: EvmPlan };
type Deps = EstimateDeps & { readonly watch: Watch };

/** The transaction that moves an asset; undefined when the network does not have it. */
export function draftOf(plan: EvmPlan, { symbol, units, to }: Omit<Intent, 'sender'>): Draft | undefined {
  const contract = contractOf(plan, symbol);
  if (contract === 'none') return undefined;
  if (contract === undefined) return { to, value: units, data: '0x' };
  return { to: contract, value: 0n, data: transferData(to, units) };
}

/** The gas that a transaction needs, with a margin; or the words of the node that says that it fails. */
export type Estimate = { readonly gas: bigint } | { readonly words: string };

/** Undefined when no provider answers. */
export function estimate({ providers, plan }: EstimateDeps, from: string, draft: Draft): Promise<Estimate | undefined> {
  return firstOf(providers, async provider => estimated(await askEstimate(provider, plan, from, draft), plan));
}

/** `onReady` gets the gas that was found on the way. */
export async function check(
  { providers, plan, watch }: Deps,
  intent: Intent,
  onReady: (draft: Draft, gas: bigint) => void,
): Promise<Check> {
  const draft = draftOf(plan, intent);
  if (!draft) return refused('would_revert', `there is no contract of ${intent.symbol} here`);
  const [tried, cost] = await Promise.all([
    firstOf(providers, provider => tryOut(provider, plan, intent, draft)),
    watch.cost(),
  ]);
  if (!tried || !cost) return { kind: 'unknown' };
  if (!('gas' in tried)) return tried;
  if (!nextBid(cost, plan.fees, [])) return refused('fee_too_high', FEE_ABOVE_CAP);
  onReady(draft, tried.gas);
  return { kind: 'ready' };
}

/** What one provider says; undefined when it does not answer all of it. */
async function tryOut(
  provider: Provider,
  plan: EvmPlan,
  { sender, to, symbol, units }: Intent,
  draft: Draft,
): Promise<Check | { readonly gas: bigint } | undefined> {
  const questions = questionsOf(plan, symbol);
  const call = (data: string) => provider.ask('eth_call', [{ to: draft.to, data }, 'latest'], readWord);
  const isBlocked = async (owner: string) =>
    questions.blocklist && answered(await call(blocklistData(questions.blocklist, owner)));
  const [estimate, payee, own, feeRate] = await Promise.all([
    askEstimate(provider, plan, sender, draft),
    isBlocked(to),
    isBlocked(sender),
    questions.hasFeeSwitch && call(FEE_RATE_DATA).then(answered),
  ]);
  if (payee === 'silence' || own === 'silence' || feeRate === 'silence') return undefined;
  if (payee) return refused('blocked', `the issuer of ${symbol} blocks the payee`);
  if (own) return refused('blocked', `the issuer of ${symbol} blocks the sender`);
  if (feeRate) return refused('pays_less', `${symbol} keeps ${feeRate} basis points of each transfer`);
  const result = estimated(estimate, plan);
  if (!result || 'gas' in result) return result;
  // Tokens say in many words that the sender has too little; the balance says it in one.
  const isCoin = contractOf(plan, symbol) === undefined;
  const balance = isCoin ? undefined : await call(balanceOfData(sender));
  const isShort = balance?.kind === 'value' ? balance.value < units : /insufficient funds/i.test(result.words);
  return refused(isShort ? 'no_funds' : 'would_revert', result.words);
}

function questionsOf({ facts, tokens }: EvmPlan, symbol: AssetSymbol): TokenQuestions {
  return (tokens[symbol] && facts.tokens[symbol]) ?? {};
}

/** A contract without the function says nothing against the transfer; the node that tries it out has the last word. */
function answered(said: Said<bigint>): bigint | 'silence' {
  if (said.kind === 'value') return said.value;
  return isRevert(said) ? 0n : 'silence';
}

/** With the cap: a node that tried the code of a payee out for longer would seem to be silent. */
function askEstimate(
  provider: Provider,
  { maxGas }: EvmPlan,
  from: string,
  { to, value, data }: Draft,
): Promise<Said<bigint>> {
  const call = { from, to, value: `0x${value.toString(16)}`, data, gas: `0x${maxGas.toString(16)}` };
  // Without what waits in the pool: a transfer to the same payee there, which may never be mined, would make this one cheaper.
  return provider.ask('eth_estimateGas', [call, 'latest'], readQuantity);
}

function estimated(said: Said<bigint>, { facts, maxGas }: EvmPlan): Estimate | undefined {
  const tooMuch = { words: `the transfer takes more gas than maxGas allows, ${maxGas}` };
  if (said.kind === 'value') {
    const gas = (said.value * (100n + facts.gasMarginPercent) + 99n) / 100n;
    return gas > maxGas ? tooMuch : { gas };
  }
  if (!isRevert(said)) return undefined;
  return OUT_OF_GAS.test(said.words) ? tooMuch : { words: said.words };
}

const OUT_OF_GAS = /gas required exceeds|out of gas/i;

/** A refusal that is about the transaction, and not about the node. Code 3: EIP-1474 as geth fills it. */
function isRevert(said: Said<unknown>): said is Extract<Said<unknown>, { readonly kind: 'refusal' }> {
  if (said.kind !== 'refusal') return false;
  return said.code === 3 || /revert|gas required exceeds|out of gas|invalid opcode|insufficient/i.test(said.words);
}

function refused(reason: CheckReason, words: string): Extract<Check, { readonly kind: 'refused' }> {
  return { kind: 'refused', reason, words };
}
