// Registers charges with their rails: the job `charge.issue`. A method is marked as submitted before the request is sent,
// no transaction is open during the request, and a retry looks the method up before it sends again.
import assert from 'node:assert/strict';
import type { JobOutcome } from '../jobs/job.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { isOutageOfOthers } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { type Finding, type Rails, railNamed } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { type Charge, type ChargeMethod, paymentRequest } from './charge.ts';
import type { DecisionBatches } from './decide.ts';
import { type ChargeRef, ISSUE } from './issue-job.ts';
import { isRetired, RETIRE } from './retire.ts';
import { clearSubmitted, findCharges, markSubmitted } from './store.ts';
import { logUndecided } from './undecided.ts';

export type IssueDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly log: Log;
  readonly decisionBatches: DecisionBatches;
};

/**
 * Registers the methods of charges concurrently and writes each decision as soon as its rail has answered. A charge whose
 * rail has not decided gets its own job, which asks again later, so that it does not delay the others.
 */
export async function issueCharges(
  deps: IssueDeps,
  { charges: refs }: { readonly charges: readonly ChargeRef[] },
): Promise<JobOutcome> {
  const charges = await findCharges(
    deps.db,
    refs.map(({ chargeId }) => chargeId),
  );
  const undecided = await issueAll(deps, charges);
  if (undecided.size === 0) return 'done';
  if (refs.length === 1) return 'postponed';
  const jobs = [...undecided].map(({ id: chargeId, accountId }) => ({ charges: [{ accountId, chargeId }] }));
  await deps.db.transaction(tx => deps.queue.enqueue(tx, ISSUE, jobs));
  return 'done';
}

/** Returns the charges on which a rail has not decided. */
export async function issueAll(deps: IssueDeps, charges: readonly Charge[]): Promise<ReadonlySet<Charge>> {
  const isFirst = await markSubmitted(
    deps.db,
    charges.flatMap(charge => charge.methods.filter(isCreating).map(({ method }) => ({ charge, method }))),
    deps.clock.now(),
  );
  const outcomes = await Promise.all(
    charges.flatMap(charge =>
      charge.methods.map(async method => ({
        charge,
        isDecided: await issueMethod(deps, charge, method, isFirst(charge, method.method)),
      })),
    ),
  );
  return new Set(outcomes.filter(({ isDecided }) => !isDecided).map(({ charge }) => charge));
}

const isCreating = ({ status }: ChargeMethod) => status === 'CREATING';

/** True when the method needs no further work. A failure is retried later and does not affect the other methods. */
async function issueMethod(
  deps: IssueDeps,
  charge: Charge,
  chargeMethod: ChargeMethod,
  isFirst: boolean,
): Promise<boolean> {
  const { method, rail } = chargeMethod;
  try {
    if (isRetired(chargeMethod)) return await withdrawIfRegistered(deps, charge, chargeMethod);
    if (!isCreating(chargeMethod)) return true;
    const decision = decisionOf(chargeMethod, await askRail(deps, charge, chargeMethod, isFirst));
    if (decision.kind !== 'registered' && decision.kind !== 'rejected') {
      logUndecided(deps.log, decision, { chargeId: charge.id, chargeMethod: method, rail });
      return false;
    }
    if (isElsewhere(chargeMethod, decision)) {
      deps.log.error('the bank put a charge elsewhere: the code that was handed out is dead, and is replaced', {
        chargeId: charge.id,
        chargeMethod: method,
        rail,
      });
    }
    await deps.decisionBatches.add({ chargeId: charge.id, accountId: charge.accountId, method, finding: decision });
    return true;
  } catch (error) {
    const level = isOutageOfOthers(error) ? 'info' : 'warn';
    deps.log[level]('a method of a charge was not registered; it is tried again', {
      chargeId: charge.id,
      chargeMethod: method,
      rail,
      error,
    });
    return false;
  }
}

async function askRail(
  deps: IssueDeps,
  charge: Charge,
  { method, rail: railName, reference, location }: ChargeMethod,
  isFirst: boolean,
): Promise<Finding> {
  assert(reference !== undefined, 'a method that is CREATING has a reference');
  const rail = railNamed(deps.rails, method, railName);
  const request = paymentRequest(charge);
  if (!isFirst) {
    const finding = await rail.lookup(request, reference, location);
    if (finding.kind !== 'absent') return finding;
  }
  const outcome = await rail.submit(request, reference, location);
  if (outcome.kind === 'unavailable') await clearSubmitted(deps.db, charge, method);
  return outcome;
}

function decisionOf({ instrument }: ChargeMethod, finding: Finding): Finding {
  // What was withdrawn at the bank before it was handed out can never be paid.
  if (finding.kind === 'withdrawn') return { kind: 'rejected', reason: 'It was withdrawn at the bank.' };
  // Without a code a payer cannot pay it: the bank is asked again.
  if (finding.kind === 'registered' && !instrument && !finding.instrument) return { kind: 'accepted' };
  return finding;
}

/** A rail answers with an instrument for a method at a location only if the two do not fit. */
function isElsewhere({ location }: ChargeMethod, finding: Finding): boolean {
  return location !== undefined && finding.kind === 'registered' && finding.instrument !== undefined;
}

/**
 * The method was retired before its rail had decided. If the rail has registered it, the instrument must be withdrawn:
 * otherwise a payer could still pay it.
 */
async function withdrawIfRegistered(
  deps: IssueDeps,
  charge: Charge,
  { method, rail, reference }: ChargeMethod,
): Promise<boolean> {
  if (reference === undefined) return true;
  const finding = await railNamed(deps.rails, method, rail).lookup(paymentRequest(charge), reference);
  if (finding.kind === 'unknown' || finding.kind === 'unavailable' || finding.kind === 'accepted') return false;
  if (finding.kind !== 'registered') return true;
  const job = { accountId: charge.accountId, chargeId: charge.id, method };
  await deps.db.transaction(tx => deps.queue.enqueue(tx, RETIRE, [job]));
  return true;
}
