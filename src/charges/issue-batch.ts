// Methods that go to their rails at the same time share statements and commits: each asks its rail for itself, and what is read
// before and written after is done together.
import type { Queue } from '../jobs/queue.ts';
import { type Batcher, batcher } from '../lib/batcher.ts';
import type { Clock } from '../lib/clock.ts';
import { type Finding, type Method, type Rails, railNamed } from '../rails/rail.ts';
import type { Database, Sql, TransactionOptions } from '../storage/database.ts';
import { type LivingCharge, paymentRequest, withInstrument } from './charge.ts';
import { LOCK_WAIT_MS } from './create-batch.ts';
import { registered, rejected } from './life.ts';
import { inRounds } from './rounds.ts';
import { findCharges, lockCharges, markSubmitted, replaceInstrument, type Submission } from './store.ts';
import { type NewTimer, setTimers } from './store-timers.ts';
import { type DatedStep, writeSteps } from './write.ts';

type Deps = { readonly db: Database; readonly queue: Queue; readonly rails: Rails; readonly clock: Clock };

/** What a rail has decided of a method. */
export type Decision = {
  readonly chargeId: string;
  readonly accountId: string;
  readonly method: Method;
  readonly finding: Extract<Finding, { kind: 'registered' | 'rejected' }>;
};

export type IssueBatches = {
  /** The charge as it is. */
  readonly find: Batcher<string, LivingCharge | undefined>;
  /** Notes that a method is about to be sent. False when it had been noted before. */
  readonly note: Batcher<Submission, boolean>;
  /** Writes a decision. */
  readonly write: Batcher<Decision, void>;
};

const LIMITS = { maxSize: 100, maxRunning: 1, maxWaiting: 10_000 } as const;

export function issueBatches(deps: Deps): IssueBatches {
  return {
    find: batcher(async ids => {
      const charges = byId(await findCharges(deps.db, ids));
      return ids.map(id => charges.get(id));
    }, LIMITS),
    note: batcher(
      (submissions, isAlone) => deps.db.transaction(tx => markSubmitted(tx, submissions), waiting(isAlone)),
      LIMITS,
    ),
    write: batcher(async (decisions, isAlone) => {
      await deps.db.transaction(tx => writeDecisions(deps, tx, decisions), waiting(isAlone));
      return decisions.map(() => undefined);
    }, LIMITS),
  };
}

/** For what somebody holds one alone waits as long as a statement may take. */
function waiting(isAlone: boolean): TransactionOptions {
  return isAlone ? {} : { lockWaitMs: LOCK_WAIT_MS };
}

async function writeDecisions(deps: Deps, tx: Sql, decisions: readonly Decision[]): Promise<void> {
  const charges = byId(
    await lockCharges(
      tx,
      decisions.map(({ chargeId }) => chargeId),
    ),
  );
  for (const round of inRounds(decisions)) {
    for (const charge of await writeRound(deps, tx, round, charges)) charges.set(charge.id, charge);
  }
}

/** Writes decisions of different charges, and returns those that moved as they are then. */
async function writeRound(
  deps: Deps,
  tx: Sql,
  decisions: readonly Decision[],
  charges: ReadonlyMap<string, LivingCharge>,
): Promise<LivingCharge[]> {
  const at = deps.clock.now();
  const steps: DatedStep[] = [];
  const looks: NewTimer[] = [];
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
    if (finding.kind === 'rejected') {
      steps.push({ step: rejected(charge, method, finding.reason), at });
      continue;
    }
    if (finding.instrument) await replaceInstrument(tx, charge, method, finding.instrument);
    const known = finding.instrument ? withInstrument(charge, method, finding.instrument) : charge;
    steps.push({ step: registered(known, method, at), at });
    const lookAt = railNamed(deps.rails, method, way.rail).reconcileAfter(paymentRequest(charge), at);
    if (lookAt) looks.push({ chargeId, accountId, kind: 'reconcile', at: lookAt, isAwaited: true });
  }
  const written = await writeSteps(deps, tx, steps);
  if (looks.length > 0) await setTimers(tx, looks);
  if (withdrawn.length > 0) await deps.queue.enqueue(tx, 'charge.retire', withdrawn);
  return written;
}

function byId(charges: readonly LivingCharge[]): Map<string, LivingCharge> {
  return new Map(charges.map(charge => [charge.id, charge]));
}
