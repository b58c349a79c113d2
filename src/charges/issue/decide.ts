// Writes the decisions of rails for many methods in one transaction: status, event, next lookup.
import type { Clock } from '../../lib/clock.ts';
import type { Method } from '../../rails/methods/methods.ts';
import type { Finding } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import { type Batcher, batcher } from '../../storage/batching/batcher.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { awaitsBank, type Charge, withInstrument } from '../charge.ts';
import { registered, rejected, type Step } from '../life.ts';
import { nextLook } from '../reconcile/reconcile.ts';
import { lockCharges, type NewInstrument, storeAnswers, storeInstruments } from '../store/charges.ts';
import { type NewTimer, setTimers } from '../store/timers.ts';
import { type DatedStep, type WriteDeps, writeSteps } from '../write.ts';
import { isRetired, RETIRE } from './retire.ts';

type Deps = WriteDeps & { readonly db: Database; readonly rails: Rails; readonly clock: Clock };

/** The decision of a rail about a method. */
type Decision = {
  readonly chargeId: string;
  readonly accountId: string;
  readonly method: Method;
  readonly finding: Extract<Finding, { kind: 'registered' | 'rejected' }>;
};

/** The charge after the decision; undefined when it is unknown. */
export type DecisionBatches = Batcher<Decision, Charge | undefined>;

const LIMITS = { maxSize: 400, maxRunning: 1, maxWaiting: 10_000 } as const;
/** A batch must not wait long for the row lock of one charge; a single write may. */
const LOCK_TIMEOUT_MS = 200;

export function startDecisionBatches(deps: Deps): DecisionBatches {
  return batcher(async (decisions, isSingle) => {
    const options = isSingle ? {} : { lockTimeoutMs: LOCK_TIMEOUT_MS };
    const charges = await deps.db.transaction(tx => writeDecisions(deps, tx, decisions), options);
    return decisions.map(({ chargeId }) => charges.get(chargeId));
  }, LIMITS);
}

/** Returns the charges after the decisions. */
async function writeDecisions(
  deps: Deps,
  tx: Sql,
  decisions: readonly Decision[],
): Promise<ReadonlyMap<string, Charge>> {
  const locked = await lockCharges(
    tx,
    decisions.map(({ chargeId }) => chargeId),
  );
  const charges = new Map(locked.map(charge => [charge.id, charge]));
  const at = deps.clock.now();
  const steps: DatedStep[] = [];
  const lookups = new Map<string, NewTimer>();
  const toWithdraw: Omit<Decision, 'finding'>[] = [];
  const made: NewInstrument[] = [];
  const answered = new Set<string>();
  for (const { chargeId, accountId, method, finding } of decisions) {
    const charge = charges.get(chargeId);
    const before = charge?.methods.find(candidate => candidate.method === method);
    if (!charge || !before) continue;
    if (before.status !== 'CREATING') {
      // The method was canceled, expired or replaced while the rail registered it: the registration must be withdrawn.
      if (finding.kind === 'registered' && isRetired(before)) toWithdraw.push({ chargeId, accountId, method });
      continue;
    }
    const step = stepOf(charge, method, finding, at);
    steps.push({ step, at });
    charges.set(chargeId, step.after);
    if (finding.kind === 'registered' && finding.instrument) made.push({ chargeId, accountId, method, ...finding });
    if (awaitsBank(charge)) answered.add(chargeId);
    if (finding.kind === 'rejected') continue;
    const lookupAt = nextLook(railNamed(deps.rails, method, before.rail), charge, at);
    const known = lookups.get(chargeId);
    if (!lookupAt || (known && known.at <= lookupAt)) continue;
    lookups.set(chargeId, { chargeId, accountId, kind: 'reconcile', at: lookupAt, isAwaited: true });
  }
  const [written] = await Promise.all([
    writeSteps(deps, tx, withLaterDecisions(steps)),
    setTimers(tx, [...lookups.values()]),
    deps.queue.enqueue(tx, RETIRE, toWithdraw),
    storeInstruments(tx, made),
    // A repeat of the request gets the code that the first caller waited for.
    storeAnswers(
      tx,
      [...answered].map(id => charges.get(id)!),
    ),
  ]);
  for (const charge of written) charges.set(charge.id, charge);
  return charges;
}

/**
 * Merges a step without an event into the preceding step of the same charge: the event of the first registered method then shows the
 * other method as this transaction leaves it. No later event would.
 */
function withLaterDecisions(steps: readonly DatedStep[]): DatedStep[] {
  const places = new Map<string, number>();
  const joined: DatedStep[] = [];
  for (const dated of steps) {
    const { after, event } = dated.step;
    const place = places.get(after.id);
    const before = place === undefined ? undefined : joined[place];
    if (place === undefined || !before || event) {
      places.set(after.id, joined.push(dated) - 1);
    } else {
      joined[place] = { ...before, step: { ...before.step, after } };
    }
  }
  return joined;
}

function stepOf(charge: Charge, method: Method, finding: Decision['finding'], at: Date): Step {
  if (finding.kind === 'rejected') return rejected(charge, method, finding.reason);
  if (!finding.instrument) return registered(charge, method, at);
  return registered(withInstrument(charge, method, finding.instrument), method, at);
}
