// Registers charges with their rails: the job `charge.issue`. A method is marked as submitted before the request is sent,
// no transaction is open during the request, and a retry looks the method up before it sends again.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobOutcome } from '../../jobs/job.ts';
import type { Clock } from '../../lib/clock.ts';
import { isOutageOfOthers } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { runForObject } from '../../lib/tracing.ts';
import type { Finding } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Database } from '../../storage/database.ts';
import { instructRegistrations } from '../bank-files/instruct.ts';
import { type Charge, type ChargeMethod, methodAwaitsBank, paymentRequest } from '../charge.ts';
import { findCharge, findCharges } from '../store/charges.ts';
import { clearSubmitted, markSubmitted, storeBankId } from '../store/sent.ts';
import type { WriteDeps } from '../write.ts';
import type { DecisionBatches } from './decide.ts';
import { type ChargeRef, ISSUE, ISSUE_AFTER_SECONDS } from './issue-job.ts';
import { isRetired, RETIRE } from './retire.ts';
import { logUndecided } from './undecided.ts';
import { planWithdrawal } from './withdraw-repeats.ts';

export type IssueDeps = WriteDeps & {
  readonly db: Database;
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
async function issueAll(deps: IssueDeps, charges: readonly Charge[]): Promise<ReadonlySet<Charge>> {
  const creating = charges.flatMap(charge =>
    charge.methods.filter(isCreating).map(({ method }) => ({ charge, method })),
  );
  const isFirst = await markSubmitted(deps.db, creating, deps.clock.now());
  const instruct = instructOnce(deps, charges);
  const outcomes = await Promise.all(
    charges.flatMap(charge =>
      charge.methods.map(async method => ({
        charge,
        ...(await runForObject(charge.id, () =>
          issueMethod(deps, charge, method, isFirst(charge, method.method), instruct),
        )),
      })),
    ),
  );
  return new Set(outcomes.filter(({ isDecided }) => !isDecided).map(({ charge }) => charge));
}

/** Instructs the banks that work by files, for all charges in one transaction, when the first charge needs it. */
function instructOnce(deps: IssueDeps, charges: readonly Charge[]): () => Promise<void> {
  let instructed: Promise<void> | undefined;
  return () => {
    instructed ??= instructRegistrations(
      deps,
      charges.filter(({ methods }) => methods.some(({ method, rail }) => railNamed(deps.rails, method, rail).files)),
    );
    return instructed;
  };
}

/** Within this time a new charge cannot have been sent: its job has not started. */
const UNSENT_MS = (ISSUE_AFTER_SECONDS - 5) * 1_000;

/**
 * Registers a charge that this process has just written. Its methods were written as submitted but not sent yet, so they need neither a
 * mark nor a lookup, unless so much time has passed that the job may have sent them. Returns the charge after the decision; undefined
 * while there is no decision.
 */
export async function issueNew(deps: IssueDeps, charge: Charge): Promise<Charge | undefined> {
  const unmarked = charge.methods.filter(method => isCreating(method) && !methodAwaitsBank(method));
  const isMarked = await markSubmitted(
    deps.db,
    unmarked.map(({ method }) => ({ charge, method })),
    deps.clock.now(),
  );
  const isUnsent = deps.clock.now().getTime() - charge.createdAt.getTime() < UNSENT_MS;
  const instruct = instructOnce(deps, [charge]);
  const outcomes = await Promise.all(
    charge.methods.map(method => {
      const isFirst = methodAwaitsBank(method) ? isUnsent : isMarked(charge, method.method);
      return issueMethod(deps, charge, method, isFirst, instruct);
    }),
  );
  const decided = outcomes.flatMap(({ after }) => after ?? []);
  // Each decision has the charge as of its own time; return the last one.
  return decided.length > 1 ? findCharge(deps.db, charge.id, charge.accountId) : decided[0];
}

const isCreating = ({ status }: ChargeMethod) => status === 'CREATING';

/** `isDecided`: the method needs no further work. `after`: the charge with a decision that was written. */
type Issued = { readonly isDecided: boolean; readonly after?: Charge | undefined };

/** A failure is retried later and does not affect the other methods. */
async function issueMethod(
  deps: IssueDeps,
  charge: Charge,
  chargeMethod: ChargeMethod,
  isFirst: boolean,
  instruct: () => Promise<void>,
): Promise<Issued> {
  const { method, rail } = chargeMethod;
  try {
    if (railNamed(deps.rails, method, rail).files) {
      // A file carries the instruction to the bank, and a return file brings its decision.
      await instruct();
      return { isDecided: true };
    }
    if (isRetired(chargeMethod)) return { isDecided: await withdrawIfRegistered(deps, charge, chargeMethod) };
    if (!isCreating(chargeMethod)) return { isDecided: true };
    const decision = decisionOf(chargeMethod, await askRail(deps, charge, chargeMethod, isFirst));
    if (decision.kind !== 'registered' && decision.kind !== 'rejected') {
      logUndecided(deps.log, decision, { chargeId: charge.id, chargeMethod: method, rail });
      return { isDecided: false };
    }
    if (isElsewhere(chargeMethod, decision)) {
      deps.log.error(
        'the bank put a charge at another location: the code that was handed out is invalid and is replaced',
        {
          chargeId: charge.id,
          chargeMethod: method,
          rail,
        },
      );
    }
    const { id: chargeId, accountId } = charge;
    const after = await deps.decisionBatches.add({ chargeId, accountId, method, finding: decision });
    return { isDecided: true, after };
  } catch (error) {
    const level = isOutageOfOthers(error) ? 'info' : 'warn';
    deps.log[level]('a method of a charge was not registered; it is retried', {
      chargeId: charge.id,
      chargeMethod: method,
      rail,
      error,
    });
    return { isDecided: false };
  }
}

async function askRail(
  deps: IssueDeps,
  charge: Charge,
  chargeMethod: ChargeMethod,
  isFirst: boolean,
): Promise<Finding> {
  const { method, reference, location, bankId } = chargeMethod;
  assert(reference !== undefined, 'a method that is CREATING has a reference');
  const rail = railNamed(deps.rails, method, chargeMethod.rail);
  const request = paymentRequest(charge, method);
  const found = isFirst ? ABSENT : await rail.lookup(request, reference, location, chargeMethod);
  if (found.kind === 'absent' && !isFirst && rail.withdrawRepeats) await planWithdrawal(deps, charge, method);
  const finding = found.kind === 'absent' ? await rail.submit(request, reference, location) : found;
  // A request that was sent before and not found is looked up again: the bank may not show it yet.
  if (isFirst && finding.kind === 'unavailable') await clearSubmitted(deps.db, charge, method);
  if (finding.kind !== 'accepted' && finding.kind !== 'registered') return finding;
  const { bankId: known } = finding;
  if (known === undefined || known === bankId) return finding;
  // Another node stored its id first. The next try looks that one up: code and id of a boleto belong together.
  if (!(await storeBankId(deps.db, charge, method, known))) return { kind: 'unknown' };
  if (finding.kind === 'registered') return finding;
  return lookSoon(finding, () => rail.lookup(request, reference, location, { bankId: known }));
}

const ABSENT: Finding = { kind: 'absent' };

/** A bank that has accepted a request often decides while the caller still waits. */
async function lookSoon(outcome: Finding, look: () => Promise<Finding>): Promise<Finding> {
  for (const waitMs of SOON_MS) {
    await delay(waitMs);
    const finding = await look();
    if (isDecision(finding)) return finding;
  }
  return outcome;
}

const SOON_MS = [200, 500, 1_000] as const;

const isDecision = ({ kind }: Finding) => kind === 'registered' || kind === 'rejected' || kind === 'withdrawn';

function decisionOf({ instrument }: ChargeMethod, finding: Finding): Finding {
  // A boleto withdrawn at the bank before it was handed out can never be paid.
  if (finding.kind === 'withdrawn') return { kind: 'rejected', reason: 'It was withdrawn at the bank.' };
  // Without a code it cannot be paid: ask the bank again.
  if (finding.kind === 'registered' && !instrument && !finding.instrument) return { kind: 'accepted' };
  return finding;
}

/** For a method at a location, a rail returns an instrument only if the two do not match. */
function isElsewhere({ location }: ChargeMethod, finding: Finding): boolean {
  return location !== undefined && finding.kind === 'registered' && finding.instrument !== undefined;
}

/**
 * The method was retired before its rail had decided. If the rail has registered it, the instrument must be withdrawn:
 * otherwise a payer could still pay it.
 */
async function withdrawIfRegistered(deps: IssueDeps, charge: Charge, retired: ChargeMethod): Promise<boolean> {
  const { method, rail, reference } = retired;
  if (reference === undefined) return true;
  const finding = await railNamed(deps.rails, method, rail).lookup(
    paymentRequest(charge, method),
    reference,
    undefined,
    retired,
  );
  if (finding.kind === 'unknown' || finding.kind === 'unavailable' || finding.kind === 'accepted') return false;
  if (finding.kind !== 'registered') return true;
  const job = { accountId: charge.accountId, chargeId: charge.id, method };
  await deps.db.transaction(tx => deps.queue.enqueue(tx, RETIRE, [job]));
  return true;
}
