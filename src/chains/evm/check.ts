// Whether a transfer could be executed now: the node simulates it, the token contract is asked for its blocklist, and the fee must be below
// the cap. Asked before a slot is taken, since a slot that reverts is used up.
import { unlessRefused } from '../agreed-refusal.ts';
import type { Check, CheckReason, Intent } from '../chain.ts';
import { ofToken, type SentSymbol } from '../networks.ts';
import { balanceOfData, blocklistData, FEE_RATE_DATA, transferData } from './contracts.ts';
import { type Draft, estimateBy, isRevert } from './estimate.ts';
import { FEE_ABOVE_CAP, nextBid } from './fees.ts';
import type { TokenQuestions } from './network.ts';
import type { Provider, Reply } from './provider.ts';
import { readWord } from './read.ts';
import { contractOf, type EvmPlan } from './settings.ts';
import type { Watch } from './watch.ts';

type Deps = { readonly providers: readonly Provider[]; readonly plan: EvmPlan; readonly watch: Watch };

/** The transaction that moves an asset; undefined when the network does not have it. */
export function draftOf(plan: EvmPlan, { symbol, units, to }: Omit<Intent, 'sender'>): Draft | undefined {
  const contract = contractOf(plan, symbol);
  if (contract === 'absent') return undefined;
  if (contract === undefined) return { to, value: units, data: '0x' };
  return { to: contract, value: 0n, data: transferData(to, units) };
}

/** Refused when two providers say so, or the only one. `onReady` gets the gas found on the way. */
export async function check(
  { providers, plan, watch }: Deps,
  intent: Intent,
  onReady: (draft: Draft, gas: bigint) => void,
): Promise<Check> {
  const draft = draftOf(plan, intent);
  if (!draft) return refused('would_revert', `there is no contract of ${intent.symbol} here`);
  const [tried, cost] = await Promise.all([
    unlessRefused(providers, provider => tryOut(provider, plan, intent, draft)),
    watch.cost(),
  ]);
  if (tried.kind !== 'gas') return tried;
  if (!cost) return { kind: 'unknown' };
  if (!nextBid(cost, plan.fees, [])) return refused('fee_too_high', FEE_ABOVE_CAP);
  onReady(draft, tried.gas);
  return { kind: 'ready' };
}

/** What one provider says. */
async function tryOut(
  provider: Provider,
  plan: EvmPlan,
  { sender, to, symbol, units }: Intent,
  draft: Draft,
): Promise<Exclude<Check, { readonly kind: 'ready' }> | { readonly kind: 'gas'; readonly gas: bigint }> {
  const questions = questionsOf(plan, symbol);
  const call = (data: string) => provider.ask('eth_call', [{ to: draft.to, data }, 'latest'], readWord);
  const isBlocked = async (owner: string) =>
    questions.blocklist && answered(await call(blocklistData(questions.blocklist, owner)));
  const [estimate, payee, own, feeRate] = await Promise.all([
    estimateBy(provider, plan, sender, draft),
    isBlocked(to),
    isBlocked(sender),
    questions.hasFeeSwitch && call(FEE_RATE_DATA).then(answered),
  ]);
  if (payee === 'silence' || own === 'silence' || feeRate === 'silence') return { kind: 'unknown' };
  if (payee) return refused('blocked', `the issuer of ${symbol} blocks the payee`);
  if (own) return refused('blocked', `the issuer of ${symbol} blocks the sender`);
  if (feeRate) return refused('pays_less', `${symbol} keeps ${feeRate} basis points of each transfer`);
  if (estimate.kind !== 'refused') return estimate;
  // Tokens report an insufficient balance in many different messages; reading the balance settles it.
  const isCoin = contractOf(plan, symbol) === undefined;
  const balance = isCoin ? undefined : await call(balanceOfData(sender));
  const isShort = balance?.kind === 'value' ? balance.value < units : /insufficient funds/i.test(estimate.message);
  return refused(isShort ? 'no_funds' : 'would_revert', estimate.message);
}

function questionsOf({ facts, tokens }: EvmPlan, symbol: SentSymbol): TokenQuestions {
  return (ofToken(tokens, symbol) && ofToken(facts.tokens, symbol)) ?? {};
}

/** A contract without the function does not speak against the transfer; the simulation by the node decides. */
function answered(reply: Reply<bigint>): bigint | 'silence' {
  if (reply.kind === 'value') return reply.value;
  return isRevert(reply) ? 0n : 'silence';
}

function refused(reason: CheckReason, message: string): Extract<Check, { readonly kind: 'refused' }> {
  return { kind: 'refused', reason, message };
}
