// The job `order.claim`: lets the orders in line for a network take slots, oldest first, as far as the gates of
// payouts allow. A claim blocks the money of the charge and opens the payout in one transaction; the crypto is sent after its
// commit. The network is queried before anything is locked.
import assert from 'node:assert/strict';
import { NETWORKS, type Network } from '../chains/asset.ts';
import type { Chain, Chains } from '../chains/chain.ts';
import type { Charge } from '../charges/charge.ts';
import { lockCharges } from '../charges/store/charges.ts';
import { commitMoney } from '../charges/store/money.ts';
import { handleJob, type JobHandler, type JobOutcome } from '../jobs/job.ts';
import type { Queue } from '../jobs/queue.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Tracing } from '../lib/tracing.ts';
import { unknownOf } from '../payouts/compare/check-books.ts';
import { sendOpened } from '../payouts/engine/send-opened.ts';
import { chainOf, openPayouts } from '../payouts/line/open.ts';
import { chooseSources, type Draft } from '../payouts/line/sources.ts';
import { readUsableSenders, type UsableSenders } from '../payouts/line/usable-senders.ts';
import type { Payout, PayoutRequest } from '../payouts/payout.ts';
import { type GateContext, type Source, WAIT_REASONS, type WalletFacts } from '../payouts/policy/gate.ts';
import { judge } from '../payouts/policy/gates.ts';
import type { PayoutLimits } from '../payouts/policy/limits.ts';
import { pausedSymbols } from '../payouts/policy/pause.ts';
import { readPauses } from '../payouts/store/pauses.ts';
import { lockNetwork, setNextClaim } from '../payouts/store/senders.ts';
import { batcher } from '../storage/batching/batcher.ts';
import type { Database, Sql } from '../storage/database.ts';
import { shareTraces } from '../storage/object-traces.ts';
import { type WalletGateDeps, walletMayBePaid } from '../wallets/gate.ts';
import { blockedAmong } from '../wallets/store.ts';
import { readApprovals } from './approvals.ts';
import { CLAIM } from './claim-job.ts';
import { readEarlier, takeBack } from './earlier-transfers.ts';
import { claimed, NO_ANSWER, nextStep, type OrderStep, resumed, turnedAway, waiting, withLastError } from './life.ts';
import { markPaused } from './mark-paused.ts';
import type { Order } from './order.ts';
import type { SettlementRules } from './settlement.ts';
import { lockWaiting, nextPassedOver, readLine } from './store-line.ts';
import { judgeFirst } from './unknown-transfers.ts';
import { unitsOf, type WrittenStep, writeOrderStep, writeOrderSteps } from './write.ts';

export type ClaimDeps = WalletGateDeps & {
  readonly db: Database;
  readonly queue: Queue;
  readonly chains: Chains;
  readonly settlement: SettlementRules;
  readonly payoutLimits: PayoutLimits;
  readonly tracing?: Tracing | undefined;
};

/** Orders of each asset examined in one round. */
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
  const now = deps.clock.now();
  const pauses = await readPauses(deps.db);
  const hasMarked = await markPaused(deps, chain.network, pauses);
  const without = pausedSymbols(pauses, chain.network);
  const query = { network: chain.network, now, without, limit: LINE_LIMIT };
  const line = await readLine(deps.db, query);
  const [first] = line;
  if (!first) {
    await comeBack(deps, chain, now);
    return hasMarked ? 'again' : 'rests';
  }
  const senders = await readUsableSenders(deps, chain, one => judgeFirst(deps, chain, one, deps.clock.now()));
  const { usable, stop } = senders;
  const front = line.slice(0, chain.window);
  if (senders.isSilent) {
    await tell(deps, front, NO_ANSWER);
    return 'silent';
  }
  if (stop) {
    const { until } = stop;
    const stopped = until && usable.length > 0 ? front.filter(({ createdAt }) => createdAt <= until) : front;
    await tell(deps, stopped, stop.message);
  }
  const madeAfter = stop?.until;
  const going = !stop ? line : madeAfter && usable.length > 0 ? await readLine(deps.db, { ...query, madeAfter }) : [];
  if (going.length > 0 && usable.some(({ openSlots }) => openSlots < chain.window)) {
    const round = await prepare(deps, chain, senders, going);
    const result = await deps.db.transaction(tx => claimInOrder(deps, tx, round));
    await sendOpened(deps, chain, result.payouts);
    if (result.hasChanged) return 'again';
  }
  if (hasMarked && usable.length > 0) return 'again';
  if (senders.mayChange) await setNextClaim(deps.db, chain.network, new Date(now.getTime() + DOUBT_AGAIN_MS));
  if (usable.length > 0) await setNextClaim(deps.db, chain.network, lookAgainAt(first, now));
  await comeBack(deps, chain, now);
  return 'rests';
}

/** Schedules the line for when the first of the skipped orders may continue. */
async function comeBack({ db }: ClaimDeps, { network }: Chain, now: Date): Promise<void> {
  const at = await nextPassedOver(db, network, now);
  if (at) await setNextClaim(db, network, at);
}

/** The longer the first has waited, the longer until the line is checked again without being woken. */
function lookAgainAt({ waitsSince = new Date(0) }: Order, now: Date): Date {
  const delayMs = Math.min(Math.max((now.getTime() - waitsSince.getTime()) / 4, LOOK_AGAIN_MS.min), LOOK_AGAIN_MS.max);
  return new Date(now.getTime() + delayMs);
}

type Round = Pick<GateContext, 'chain' | 'checks' | 'wallets' | 'earlier'> & {
  /** Orders that may get a slot, and those without enough funds, in the order of the line. */
  readonly orders: readonly Order[];
  readonly draft: Draft;
  readonly senders: UsableSenders;
};

/** Asks the network, and checks the wallets, for as many orders as there are free slots. */
async function prepare(deps: ClaimDeps, chain: Chain, senders: UsableSenders, line: readonly Order[]): Promise<Round> {
  const draft = await chooseSources(deps.db, chain, senders.usable, line.map(requestOf));
  const { checks, senderOf } = draft;
  const orders = line.filter(({ id }) => senderOf.has(id));
  const checked = orders.filter(({ id }) => checks.has(id));
  const [wallets, earlier] = await Promise.all([readWallets(deps, checked), readEarlier(deps, chain, checked)]);
  // They leave the line before it is examined.
  for (const each of earlier.values()) if (each.kind === 'moved') await takeBack(deps, each);
  return { chain, orders, draft, senders, checks, wallets, earlier };
}

/** Each wallet is checked once, regardless of how many orders are for it. */
async function readWallets(deps: ClaimDeps, orders: readonly Order[]): Promise<WalletFacts> {
  const ids = [...new Set(orders.map(({ walletId }) => walletId))];
  const asked = await Promise.all(ids.map(async id => [id, await walletMayBePaid(deps, id)] as const));
  const answers = new Map(asked);
  return new Map(
    orders.flatMap(({ id, walletId }) => {
      const answer = answers.get(walletId);
      return answer ? [[id, answer] as const] : [];
    }),
  );
}

type Result = { readonly payouts: readonly Payout[]; readonly hasChanged: boolean };

/** Judges the orders while the senders are locked, and writes what follows. */
async function claimInOrder(deps: ClaimDeps, tx: Sql, { orders, draft, senders, ...round }: Round): Promise<Result> {
  const { chain } = round;
  // The counts, or the view of the chain, are stale: the next round reads them again.
  if (await hasMoved(tx, chain, senders)) return { payouts: [], hasChanged: true };
  const now = deps.clock.now();
  const pauses = await readPauses(tx);
  const standing = await lockWaiting(tx, orders);
  const approvals = await readApprovals(tx, deps.approvalRules, standing, now);
  const blocked = await blockedAmong(
    tx,
    standing.map(({ walletAddress }) => walletAddress),
  );
  const policy = { pauses, blocked, ...approvals, limits: deps.payoutLimits };
  const charges = await lockCharges(
    tx,
    standing.flatMap(({ chargeId }) => chargeId ?? []),
  );
  const sources = new Map(draft.sources.map(one => [one.sender.sender, { ...one, claimed: [], ahead: [] } as Filling]));
  const going: PayoutRequest[] = [];
  const [claims, kept]: [Claim[], WrittenStep[]] = [[], []];
  let hasChanged = false;
  for (const order of standing) {
    const charge = charges.find(({ id }) => id === order.chargeId);
    // Its money has changed meanwhile. The job that follows the order handles that.
    if (!charge || nextStep(order, contextOf(deps, charge, now))) continue;
    const request = requestOf(order);
    const source = sources.get(draft.senderOf.get(order.id) ?? '');
    if (!source) continue;
    const verdict = await judge(request, { ...round, ...policy, source, claimed: going, now }, tx);
    if (verdict.kind === 'go') {
      going.push(request);
      source.claimed.push(request);
      claims.push({ order, charge });
    } else {
      if (verdict.kind === 'wait' && verdict.reason === 'no_funds') source.ahead.push(request);
      // The next round examines the orders behind it.
      if (verdict.kind === 'hold' || verdict.until) hasChanged = true;
      const step = verdict.kind === 'hold' ? turnedAway(order, verdict, now) : waiting(order, verdict, now);
      if (step) kept.push({ before: order, step });
    }
  }
  await writeOrderSteps(tx, kept, now);
  await writeClaims(deps, tx, claims, now);
  const payouts: Payout[] = [];
  for (const { sender, claimed: own } of sources.values()) {
    payouts.push(...(await openPayouts(tx, chain, sender, own, now)));
  }
  await shareTraces(
    deps,
    tx,
    payouts.flatMap(({ id, orderId }) => (orderId === undefined ? [] : { from: orderId, to: id })),
  );
  return { payouts, hasChanged: hasChanged || payouts.length > 0 };
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

type Claim = { readonly order: Order; readonly charge: Charge };

/** The orders become `fulfilling`, or are sent again, and their money can no longer be refunded. */
async function writeClaims(deps: ClaimDeps, tx: Sql, claims: readonly Claim[], now: Date): Promise<void> {
  const waited = claims.filter(({ order }) => WAIT_REASONS.some(reason => reason === order.hold?.reason));
  const steps = waited.map(({ order }) => ({ before: order, step: resumed(order) }));
  const again = new Map((await writeOrderSteps(tx, steps, now)).map(order => [order.id, order]));
  const taken = claims.map(({ order, charge }) => {
    const before = again.get(order.id) ?? order;
    return { before, step: claimed(before, contextOf(deps, charge, now)) };
  });
  await writeOrderSteps(tx, taken, now);
  const committed = claims.map(({ order: { dueCents }, charge }) => {
    assert(dueCents !== undefined, 'a paid order has dueCents');
    return { charge, cents: dueCents };
  });
  await commitMoney(tx, committed);
}

/** Records on the orders at the front what they wait for. */
async function tell({ db, clock, log }: ClaimDeps, front: readonly Order[], message: string): Promise<void> {
  if (front.every(({ lastError }) => lastError === message)) return;
  await db.transaction(async tx => {
    for (const order of await lockWaiting(tx, front)) {
      const step: OrderStep | undefined = withLastError(order, message);
      if (step) await writeOrderStep(tx, order, step, clock.now());
    }
  });
  for (const { id: orderId, network, lastError } of front) {
    if (lastError === message || message !== NO_ANSWER) continue;
    log.info('no node of the chain answers; the order waits for it', { orderId, network });
  }
}

function contextOf({ settlement: rules }: ClaimDeps, charge: Charge, now: Date) {
  return { charge, rules, now, newId: () => uuidV7(now) };
}

export function requestOf(order: Order): PayoutRequest {
  const { accountId, id: orderId, network, symbol, walletAddress: destination } = order;
  const requestedBy = order.repricedBy ?? order.createdBy;
  const request = { accountId, orderId, network, symbol, units: unitsOf(order), destination };
  return { ...request, ...(requestedBy !== undefined && { requestedBy }) };
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
