// Signs attempts: the transfer or a void, at fees that beat every attempt before, with gas that was estimated once.
import type { Attempt, Signed, Slot, Transfer } from '../chain.ts';
import type { Signer } from '../signer/signer.ts';
import { draftOf } from './check.ts';
import type { Draft, Estimate } from './estimate.ts';
import { FEE_ABOVE_CAP, nextBid } from './fees.ts';
import type { EvmPlan } from './settings.ts';
import { readTransaction, signTransaction } from './transaction.ts';
import type { Watch } from './watch.ts';

type Deps = {
  readonly plan: EvmPlan;
  readonly watch: Watch;
  readonly signers: ReadonlyMap<string, Signer>;
  readonly estimate: (from: string, draft: Draft) => Promise<Estimate>;
};

export function signTransfer(deps: Deps, transfer: Transfer, before: readonly Attempt[]): Promise<Signed> {
  const draft = draftOf(deps.plan, transfer);
  if (!draft) return Promise.resolve({ kind: 'refused', message: `there is no contract of ${transfer.symbol} here` });
  return signDraft(deps, transfer.slot, draft, before);
}

/** Nothing, from the sender to itself. */
export function signVoid(deps: Deps, slot: Slot, before: readonly Attempt[]): Promise<Signed> {
  return signDraft(deps, slot, { to: slot.sender, value: 0n, data: '0x' }, before);
}

async function signDraft(deps: Deps, slot: Slot, draft: Draft, before: readonly Attempt[]): Promise<Signed> {
  const { plan, watch, signers } = deps;
  const { sender, nonce } = slot;
  const signer = signers.get(sender);
  if (!signer) return { kind: 'refused', message: `no signer is configured for ${sender}` };
  const earlier = before.map(({ raw }) => readTransaction(raw)?.fields);
  if (!earlier.every(each => each !== undefined))
    return { kind: 'refused', message: 'an earlier attempt is unreadable' };
  const cost = await watch.cost();
  if (!cost) return { kind: 'unknown', message: 'no provider says what a transaction costs' };
  const bid = nextBid(cost, plan.fees, earlier);
  if (!bid) return { kind: 'refused', message: FEE_ABOVE_CAP };
  const estimate = await estimateOf(deps, sender, draft, earlier);
  if (estimate.kind === 'refused') return estimate;
  if (estimate.kind === 'unknown') {
    return { kind: 'unknown', message: estimate.message ?? 'no provider says how much gas the transfer needs' };
  }
  const transaction = { chainId: plan.chainId, nonce, ...draft, gas: estimate.gas, ...bid };
  return signTransaction(signer, transaction, sender);
}

/** An earlier attempt at the same transfer has an estimate. A new one might fail, since the slot before it may be open. */
async function estimateOf(
  { estimate }: Deps,
  sender: string,
  { to, value, data }: Draft,
  earlier: readonly (Draft & { readonly gas: bigint })[],
): Promise<Estimate> {
  const same = earlier.find(each => each.to === to && each.value === value && each.data === data);
  return same ? { kind: 'gas', gas: same.gas } : estimate(sender, { to, value, data });
}
