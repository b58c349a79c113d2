// An EVM network as a `Chain`: composes providers, the watch, checks, signing and lookups.
import type { Clock } from '../../lib/clock.ts';
import { activeOf } from '../active-senders.ts';
import type { Chain, ChainHealth, Funds, Sighting } from '../chain.ts';
import { quorumOf } from './agree.ts';
import { broadcast } from './broadcast.ts';
import { check } from './check.ts';
import { type Draft, type Estimate, estimate } from './estimate.ts';
import { balanceOf, funds } from './funds.ts';
import { lookup } from './lookup.ts';
import { watchMovements } from './movements.ts';
import { openProvider, type Provider } from './provider.ts';
import { readTransferIn } from './read-transfer.ts';
import { recordOf } from './record.ts';
import { contractOf, type EvmPlan, type EvmSettings, planOf } from './settings.ts';
import { sharedAnswers } from './shared.ts';
import { signTransfer, signVoid } from './sign.ts';
import { codeAt, isCode, type StartCheck, startCheck } from './start-check.ts';
import { slotCounts, usedSlots } from './used-slots.ts';
import { type Watch, watchNetwork } from './watch.ts';

type EvmChain = { readonly chain: Chain; readonly start: StartCheck };

type Deps = {
  readonly clock: Clock;
  /** Monotonic milliseconds, for the age of answers and the length of pauses. */
  readonly monotonicMs?: () => number;
};

const RECHECK_MS = 5_000;
/** Estimates of checked transfers that wait to be signed. */
const MAX_ESTIMATES = 10_000;
const ESTIMATE_AGE_MS = 60_000;

/** Opens a chain and checks with its nodes what must be right before the first transfer. Never throws for what a node does. */
export async function openEvmChain(settings: EvmSettings, deps: Deps): Promise<EvmChain> {
  const { clock, monotonicMs = () => performance.now() } = deps;
  const plan = planOf(settings);
  const { chainId } = plan;
  const providers = settings.providers.map(provider => openProvider(provider, { chainId, monotonicMs }));
  const [first, ...others] = settings.senders;
  const senders = [first.address, ...others.map(({ address }) => address)] as const;
  const activeSenders = activeOf(settings.senders);
  const signers = new Map(
    settings.senders.flatMap(({ address, signer }) => (signer ? [[address, signer] as const] : [])),
  );
  const watch = watchNetwork({ ...plan, providers, monotonicMs });
  const quorum = quorumOf(providers.length);
  const start = await startCheck({ providers, plan, senders });

  let isChecked = start.isComplete;
  const recheck = sharedAnswers<StartCheck>(RECHECK_MS, monotonicMs);
  /** What contradicts the settings, on nodes that did not answer at the start. */
  async function wrongSetting(): Promise<string | undefined> {
    if (isChecked) return undefined;
    const { faults, isComplete } = await recheck('', () => startCheck({ providers, plan, senders }));
    isChecked = isComplete && faults.length === 0;
    return faults[0];
  }
  /** Why nothing may be signed yet; undefined when all was checked. */
  async function unchecked(): Promise<string | undefined> {
    const fault = await wrongSetting();
    return isChecked ? undefined : (fault ?? 'no provider answers');
  }

  // A check finds the gas as well, so the signature that follows needs no further call.
  const estimates = new Map<string, { readonly gas: bigint; readonly atMs: number }>();
  const keyOf = (from: string, { to, value, data }: Draft) => `${from} ${to} ${value} ${data}`;
  function remember(from: string, draft: Draft, gas: bigint): void {
    if (estimates.size >= MAX_ESTIMATES) estimates.clear();
    estimates.set(keyOf(from, draft), { gas, atMs: monotonicMs() });
  }
  async function estimateOnce(from: string, draft: Draft): Promise<Estimate> {
    const known = estimates.get(keyOf(from, draft));
    if (known && monotonicMs() - known.atMs < ESTIMATE_AGE_MS) return { kind: 'gas', gas: known.gas };
    return estimate({ providers, plan }, from, draft);
  }
  const signDeps = { plan, watch, signers, estimate: estimateOnce };
  const movements = watchMovements(monotonicMs);
  const lookupDeps = { ...plan.facts, ...plan, watch, movements, quorum, now: () => clock.now() };
  const sharedFunds = sharedAnswers<Funds | undefined>(plan.maxAgeMs, monotonicMs);

  const chain: Chain = {
    name: plan.network,
    network: plan.network,
    senders,
    activeSenders,
    canSign: sender => signers.has(sender),
    depth: plan.depth,
    window: start.isDelegated ? 1 : plan.window,
    maxAttempts: plan.maxAttempts,
    placeOf(symbol) {
      const token = contractOf(plan, symbol);
      const { isTest } = plan;
      return { chainId, isTest, ...(token !== undefined && token !== 'absent' && { token }) };
    },
    async nextNonce(sender) {
      const views = await watch.views(sender);
      const [first] = views;
      // A pending transaction of another program may be dropped, and every slot after it would wait for ever.
      const isAgreed =
        views.length >= quorum && views.every(({ mined, pooled }) => mined === pooled && mined === first?.mined);
      return isAgreed ? first?.mined : undefined;
    },
    usedSlots: sender => usedSlots({ watch, quorum }, sender),
    slotCounts: sender => slotCounts({ watch, quorum }, sender),
    async isContract(address) {
      const code = await codeAt(providers, address);
      return code === undefined ? undefined : isCode(code);
    },
    async check(intent) {
      const fault = await wrongSetting();
      if (!isChecked) return { kind: 'unknown', ...(fault !== undefined && { message: fault }) };
      return check({ providers, plan, watch }, intent, (draft, gas) => remember(intent.sender, draft, gas));
    },
    funds: (sender, symbol) =>
      sharedFunds(`${sender} ${symbol}`, () => funds({ providers, plan, watch }, sender, symbol)),
    balance: (sender, asset) => balanceOf({ plan, watch }, sender, asset),
    async sign(transfer, before) {
      const message = await unchecked();
      return message === undefined ? signTransfer(signDeps, transfer, before) : { kind: 'unknown', message };
    },
    signVoid: (slot, before) => signVoid(signDeps, slot, before),
    broadcast: attempt => broadcast(providers, attempt),
    async lookup(transfer, attempts, seen) {
      const token = contractOf(plan, transfer.symbol);
      if (token === 'absent') return { kind: 'unknown', message: `there is no contract of ${transfer.symbol} here` };
      return lookup(lookupDeps, { transfer, attempts, seen, token });
    },
    readTransfer: hash => readTransferIn({ providers, plan }, hash),
    maxLookupWaitMs: MAX_LOOKUP_WAIT_MS,
    nextLookupAt: (sighting, now) => new Date(now.getTime() + waitMs(plan, sighting)),
    record: (sender, from) => recordOf({ providers, plan, watch }, sender, from),
    health: async () => {
      const [answers, fault] = await Promise.all([health(providers, watch, senders[0]), wrongSetting()]);
      return { ...answers, ...(fault !== undefined && { fault }) };
    },
  };
  return { chain, start };
}

const SECOND_MS = 1_000;
const MAX_WAIT_MS = 5 * 60_000;
/** After an outage of an hour an open payout is still looked up soon. */
const MAX_LOOKUP_WAIT_MS = 30 * SECOND_MS;

/** Until something can have changed: the next block, the missing confirmations, part of the way to finality. */
function waitMs({ blockMs, depth, facts }: EvmPlan, sighting: Sighting): number {
  switch (sighting.kind) {
    case 'mined': {
      if (sighting.isFinal) return 0;
      const missing = depth - sighting.confirmations;
      if (missing > 0) return Math.min(missing * blockMs, MAX_WAIT_MS);
      return Math.max(blockMs, Math.min(facts.finalityMs / 4, MAX_WAIT_MS));
    }
    case 'taken':
      return MAX_WAIT_MS;
    case 'unknown':
      return 2 * SECOND_MS;
    default:
      return Math.max(blockMs, SECOND_MS / 4);
  }
}

async function health(providers: readonly Provider[], watch: Watch, sender: string): Promise<ChainHealth> {
  const views = await watch.views(sender);
  const best = views.toSorted((a, b) => Number(b.head.number - a.head.number))[0];
  const lag = best?.final && best.head.timestamp - best.final.timestamp;
  return {
    ...(best && { head: best.head.number }),
    ...(lag !== undefined && { finalityLagMs: Number(lag) * SECOND_MS }),
    providers: providers.map(provider => {
      const { name } = provider;
      const message = provider.trouble();
      const isAnswering = views.some(view => view.provider === provider);
      return { name, isAnswering, ...(message !== undefined && { words: message }) };
    }),
  };
}
