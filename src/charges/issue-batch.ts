// Methods that go to their rails at the same time share statements and commits: each asks its rail for itself, and what is read
// before and written after is done together. Nobody waits for it at the door, so charges that are being taken go first.
import type { Queue } from '../jobs/queue.ts';
import { type Batcher, batcher } from '../lib/batcher.ts';
import { type Finding, type Method, type Rails, railNamed } from '../rails/rail.ts';
import type { Database, Sql } from '../storage/database.ts';
import type { SharedClock } from '../storage/shared-clock.ts';
import { type LivingCharge, paymentRequest, withInstrument } from './charge.ts';
import { type ChargeBatches, LOCK_WAIT_MS } from './create-batch.ts';
import { registered, rejected, type Step } from './life.ts';
import {
  chargesSelection,
  lockCharges,
  markSubmitted,
  replaceInstrument,
  type Submission,
  toCharges,
} from './store.ts';
import { type NewTimer, setTimers } from './store-timers.ts';
import { type DatedStep, writeSteps } from './write.ts';

type Deps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly rails: Rails;
  readonly clock: SharedClock;
  readonly batches: ChargeBatches;
};

/** What a rail has decided of a method. */
export type Decision = {
  readonly chargeId: string;
  readonly accountId: string;
  readonly method: Method;
  readonly finding: Extract<Finding, { kind: 'registered' | 'rejected' }>;
};

export type IssueBatches = {
  /** The charge as it is; tells the clock the time, too. */
  readonly find: Batcher<string, LivingCharge | undefined>;
  /** Notes that a method is about to be sent. False when it had been noted before. */
  readonly note: Batcher<Submission, boolean>;
  /** Writes a decision. */
  readonly write: Batcher<Decision, void>;
};

const LIMITS = { maxSize: 400, maxRunning: 1, maxWaiting: 10_000 } as const;
/** For a pause in the taking a batch waits so long and no longer. */
const PATIENCE_MS = 100;
/** Where charges have waited so long to be registered, no way is given: what was taken is to be payable, too. */
const LATE_MS = 10_000;

export function issueBatches(deps: Deps): IssueBatches {
  let isLate = false;
  const giveWay = () => (isLate ? Promise.resolve() : deps.batches.pause(PATIENCE_MS));
  const limits = { ...LIMITS, giveWay };
  const lane = deps.db.lane(LOCK_WAIT_MS);
  return {
    find: batcher(async ids => {
      const { statement, learn } = deps.clock.look();
      const [time, rows] = await lane.together([statement, chargesSelection(ids)]);
      learn(time!);
      const charges = byId(toCharges(rows!));
      const lateSince = deps.clock.now().getTime() - LATE_MS;
      isLate = [...charges.values()].some(({ createdAt }) => createdAt.getTime() < lateSince);
      return ids.map(id => charges.get(id));
    }, limits),
    note: batcher(
      // For what somebody holds one alone waits as long as a statement may take.
      (submissions, isAlone) => markSubmitted(isAlone ? deps.db : lane, submissions),
      limits,
    ),
    write: batcher(async (decisions, isAlone) => {
      const options = isAlone ? {} : { lockWaitMs: LOCK_WAIT_MS };
      await deps.db.transaction(tx => writeDecisions(deps, tx, decisions), options);
      return decisions.map(() => undefined);
    }, limits),
  };
}

async function writeDecisions(deps: Deps, tx: Sql, decisions: readonly Decision[]): Promise<void> {
  const charges = byId(
    await lockCharges(
      tx,
      decisions.map(({ chargeId }) => chargeId),
    ),
  );
  const at = deps.clock.now();
  const steps: DatedStep[] = [];
  const looks = new Map<string, NewTimer>();
  const withdrawn: Omit<Decision, 'finding'>[] = [];
  for (const { chargeId, accountId, method, finding } of decisions) {
    const charge = charges.get(chargeId);
    const way = charge?.ways.find(candidate => candidate.method === method);
    if (!charge || !way) continue;
    if (way.status !== 'CREATING') {
      // It was canceled, expired or paid otherwise while the rail took it: now there is something to take back.
      if (finding.kind === 'registered') withdrawn.push({ chargeId, accountId, method });
      continue;
    }
    const step = await stepOf(tx, charge, method, finding, at);
    steps.push({ step, at });
    charges.set(chargeId, step.after);
    if (finding.kind === 'rejected') continue;
    const lookAt = railNamed(deps.rails, method, way.rail).reconcileAfter(paymentRequest(charge), at);
    const known = looks.get(chargeId);
    if (!lookAt || (known && known.at <= lookAt)) continue;
    looks.set(chargeId, { chargeId, accountId, kind: 'reconcile', at: lookAt, isAwaited: true });
  }
  // None of these waits for another.
  await Promise.all([
    writeSteps(deps, tx, steps),
    looks.size > 0 && setTimers(tx, [...looks.values()]),
    withdrawn.length > 0 && deps.queue.enqueue(tx, 'charge.retire', withdrawn),
  ]);
}

async function stepOf(
  tx: Sql,
  charge: LivingCharge,
  method: Method,
  finding: Decision['finding'],
  at: Date,
): Promise<Step> {
  if (finding.kind === 'rejected') return rejected(charge, method, finding.reason);
  if (!finding.instrument) return registered(charge, method, at);
  await replaceInstrument(tx, charge, method, finding.instrument);
  return registered(withInstrument(charge, method, finding.instrument), method, at);
}

function byId(charges: readonly LivingCharge[]): Map<string, LivingCharge> {
  return new Map(charges.map(charge => [charge.id, charge]));
}
