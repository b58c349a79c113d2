// The job that lets payouts in the line of a network take slots, oldest first, as far as the gates allow. A claim changes the
// owner and opens the payout in one transaction; the crypto is sent after its commit. The network is queried before anything is locked.
import { NETWORKS, type Network } from '../../chains/asset.ts';
import type { Chain, Chains } from '../../chains/chain.ts';
import { handleJob, type JobHandler, type JobOutcome } from '../../jobs/job.ts';
import type { Tracing } from '../../lib/tracing.ts';
import { batcher } from '../../storage/batching/batcher.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { shareTraces } from '../../storage/object-traces.ts';
import { type WalletGateDeps, walletMayBePaid } from '../../wallets/gate.ts';
import { blockedAmong } from '../../wallets/store.ts';
import { unknownOf } from '../compare/check-books.ts';
import { readEarlier } from '../compare/earlier.ts';
import { judgeFirst } from '../compare/unknown-transfers.ts';
import { sendOpened } from '../engine/send-opened.ts';
import { CLAIM } from '../jobs.ts';
import type { Judged, PayoutOwner, Waiting } from '../owner.ts';
import type { Payout, PayoutRequest } from '../payout.ts';
import { type GateContext, NO_ANSWER, type Source, type WalletFacts } from '../policy/gate.ts';
import { judge } from '../policy/judge-payout.ts';
import type { PayoutLimits } from '../policy/limits.ts';
import { pausedSymbols } from '../policy/pause.ts';
import { readPauses } from '../store/pauses.ts';
import { lockNetwork, setNextClaim } from '../store/senders.ts';
import { chainOf, openPayouts } from './open.ts';
import { chooseSources, type Draft } from './sources.ts';
import { readUsableSenders, type UsableSenders } from './usable-senders.ts';

export type ClaimDeps = WalletGateDeps & {
  readonly db: Database;
  readonly chains: Chains;
  readonly payoutOwner: PayoutOwner;
  readonly payoutLimits: PayoutLimits;
  readonly tracing?: Tracing | undefined;
};

/** Payouts of each asset examined in one round. */
const LINE_LIMIT = 200;
/** Rounds of one job; the rest waits for its next run. */
const MAX_ROUNDS = 100;
const LOOK_AGAIN_MS = { min: 15_000, max: 600_000 };
/** The books and the chain may agree again with the next block. */
const DOUBT_AGAIN_MS = 5_000;

export async function claimWaiting(deps: ClaimDeps, network: Network): Promise<JobOutcome> {
  const chain = chainOf(deps.chains, network);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const outcome = await claimRound(deps, chain);
    if (outcome === 'silent') return 'postponed';
    if (outcome === 'rests') return 'done';
  }
  return 'postponed';
}

/** `again`: there may be more to do at once. `rests`: the line is empty or waits. `silent`: no node answers, not even for a nonce. */
type RoundOutcome = 'again' | 'rests' | 'silent';

async function claimRound(deps: ClaimDeps, chain: Chain): Promise<RoundOutcome> {
  const { db, clock, payoutOwner } = deps;
  const now = clock.now();
  const pauses = await readPauses(db);
  const hasMarked = await payoutOwner.markPaused(chain.network, pauses);
  const without = pausedSymbols(pauses, chain.network);
  const query = { network: chain.network, now, without, limit: LINE_LIMIT };
  const line = await payoutOwner.readLine(db, query);
  const [first] = line;
  if (!first) {
    await comeBack(deps, chain, now);
    return hasMarked ? 'again' : 'rests';
  }
  const senders = await readUsableSenders(deps, chain, one => judgeFirst(deps, chain, one, clock.now()));
  const { usable, stop } = senders;
  const front = line.slice(0, chain.window);
  if (senders.isSilent) {
    await payoutOwner.noteWhy(front, NO_ANSWER);
    return 'silent';
  }
  if (stop) {
    const { until } = stop;
    const stopped = until && usable.length > 0 ? front.filter(({ ownerMadeAt }) => ownerMadeAt <= until) : front;
    await payoutOwner.noteWhy(stopped, stop.message);
  }
  const madeAfter = stop?.until;
  const isAnyFree = madeAfter !== undefined && usable.length > 0;
  const going = !stop ? line : isAnyFree ? await payoutOwner.readLine(db, { ...query, madeAfter }) : [];
  if (going.length > 0 && usable.some(({ openSlots }) => openSlots < chain.window)) {
    const round = await prepare(deps, chain, senders, going);
    const result = await db.transaction(tx => claimInSequence(deps, tx, round));
    await sendOpened(deps, chain, result.payouts);
    if (result.hasChanged) return 'again';
  }
  if (hasMarked && usable.length > 0) return 'again';
  if (senders.mayChange) await setNextClaim(db, chain.network, new Date(now.getTime() + DOUBT_AGAIN_MS));
  if (usable.length > 0) await setNextClaim(db, chain.network, lookAgainAt(first, now));
  await comeBack(deps, chain, now);
  return 'rests';
}

/** Schedules the line for when the first of those that are skipped may continue. */
async function comeBack({ db, payoutOwner }: ClaimDeps, { network }: Chain, now: Date): Promise<void> {
  const at = await payoutOwner.nextPassedOver(db, network, now);
  if (at) await setNextClaim(db, network, at);
}

/** The longer the first has waited, the longer until the line is checked again without being woken. */
function lookAgainAt({ waitsSince }: Waiting, now: Date): Date {
  const delayMs = Math.min(Math.max((now.getTime() - waitsSince.getTime()) / 4, LOOK_AGAIN_MS.min), LOOK_AGAIN_MS.max);
  return new Date(now.getTime() + delayMs);
}

type Round = Pick<GateContext, 'chain' | 'checks' | 'wallets' | 'earlier'> & {
  /** Those that may get a slot, and those without enough funds, in the sequence of the line. */
  readonly waiting: readonly Waiting[];
  readonly draft: Draft;
  readonly senders: UsableSenders;
};

/** Asks the network, and checks the wallets, for as many payouts as there are free slots. */
async function prepare(
  deps: ClaimDeps,
  chain: Chain,
  senders: UsableSenders,
  line: readonly Waiting[],
): Promise<Round> {
  const draft = await chooseSources(
    deps.db,
    chain,
    senders.usable,
    line.map(({ request }) => request),
  );
  const { checks, senderOf } = draft;
  const waiting = line.filter(({ request }) => senderOf.has(request.ownerId));
  const checked = waiting.filter(({ request }) => checks.has(request.ownerId));
  const [wallets, earlier] = await Promise.all([
    readWallets(deps, checked),
    readEarlier(
      deps.db,
      chain,
      checked.map(({ request }) => request.ownerId),
    ),
  ]);
  // They leave the line before it is examined.
  for (const each of earlier.values()) if (each.kind === 'moved') await deps.payoutOwner.takeBack(each.payout);
  return { chain, waiting, draft, senders, checks, wallets, earlier };
}

/** Each wallet is checked once, regardless of how many payouts are for it. */
async function readWallets(deps: ClaimDeps, waiting: readonly Waiting[]): Promise<WalletFacts> {
  const ids = [...new Set(waiting.map(({ walletId }) => walletId))];
  const answers = new Map(await Promise.all(ids.map(async id => [id, await walletMayBePaid(deps, id)] as const)));
  return new Map(
    waiting.flatMap(({ request, walletId }) => {
      const answer = answers.get(walletId);
      return answer ? [[request.ownerId, answer] as const] : [];
    }),
  );
}

type Result = { readonly payouts: readonly Payout[]; readonly hasChanged: boolean };

/** Judges those in line while the senders are locked, and writes what follows. */
async function claimInSequence(
  deps: ClaimDeps,
  tx: Sql,
  { waiting, draft, senders, ...round }: Round,
): Promise<Result> {
  const { chain } = round;
  // The counts, or the view of the chain, are stale: the next round reads them again.
  if (await hasMoved(tx, chain, senders)) return { payouts: [], hasChanged: true };
  const now = deps.clock.now();
  const pauses = await readPauses(tx);
  const { standing, approved, unapproved, write } = await deps.payoutOwner.lockLine(tx, waiting, now);
  const blocked = await blockedAmong(
    tx,
    standing.map(({ destination }) => destination),
  );
  const policy = { pauses, blocked, approved, unapproved, limits: deps.payoutLimits };
  const sources = new Map(draft.sources.map(one => [one.sender.sender, { ...one, claimed: [], ahead: [] } as Filling]));
  const going: PayoutRequest[] = [];
  const judged: Judged[] = [];
  for (const request of standing) {
    const source = sources.get(draft.senderOf.get(request.ownerId) ?? '');
    if (!source) continue;
    const verdict = await judge(request, { ...round, ...policy, source, claimed: going, now }, tx);
    judged.push({ request, verdict });
    if (verdict.kind === 'go') {
      going.push(request);
      source.claimed.push(request);
    }
    if (verdict.kind === 'wait' && verdict.reason === 'no_funds') source.ahead.push(request);
  }
  await write(judged);
  const payouts: Payout[] = [];
  for (const { sender, claimed } of sources.values()) {
    payouts.push(...(await openPayouts(tx, chain, sender, claimed, now)));
  }
  await shareTraces(
    deps,
    tx,
    payouts.flatMap(({ id, ownerId }) => (ownerId === undefined ? [] : { from: ownerId, to: id })),
  );
  return { payouts, hasChanged: payouts.length > 0 || judged.some(({ verdict }) => letsOthersPass(verdict)) };
}

/** The next round examines those behind it. */
function letsOthersPass(verdict: Judged['verdict']): boolean {
  return verdict.kind === 'hold' || (verdict.kind === 'wait' && verdict.until !== undefined);
}

/** A source that takes slots in this transaction. */
type Filling = Source & { readonly claimed: PayoutRequest[]; readonly ahead: PayoutRequest[] };

/** Whether another node took slots since the senders were read, one was halted, or the database has gone back. The senders stay locked. */
async function hasMoved(
  tx: Sql,
  { network, senders }: Chain,
  { usable, sent, halted }: UsableSenders,
): Promise<boolean> {
  const locked = await lockNetwork(tx, network);
  const isSame = usable.every(({ sender, nextNonce }) => {
    const now = locked.get(sender);
    return now?.nextNonce === nextNonce && !now.isHalted;
  });
  const isHaltedNow = senders.some(sender => locked.get(sender)?.isHalted && !halted.includes(sender));
  if (!isSame || isHaltedNow) return true;
  for (const one of sent) if ((await unknownOf({ db: tx }, one, one.hashes)).length > 0) return true;
  return false;
}

const CLAIM_LIMITS = { maxSize: 1_000, maxRunning: 1, maxWaiting: 100_000 } as const;

/** Jobs of a network that arrive while one runs are merged into the next run. */
export function claimJobs(deps: ClaimDeps): JobHandler[] {
  return NETWORKS.map(network => {
    const rounds = batcher<Network, JobOutcome>(async asked => {
      const outcome = await claimWaiting(deps, network);
      return asked.map(() => outcome);
    }, CLAIM_LIMITS);
    return handleJob(CLAIM[network], () => rounds.add(network));
  });
}
