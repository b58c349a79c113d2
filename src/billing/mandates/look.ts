// The job `mandate.look`: brings a mandate to the PSP, asks the payer, cancels it, or reads what became of it. Safe to run any number of
// times, early or late: what was sent and not answered is looked up before it is sent again.
import type { JobOutcome } from '../../jobs/job.ts';
import type { AutomaticCalls, Recurrence } from '../../rails/automatic.ts';
import { requireCustomer } from '../customers/require.ts';
import { bring, referenceOf } from './bring.ts';
import { callsOf, type LookDeps, SETTLED_AFTER_MS } from './calls.ts';
import { changeMandate, planNextLook, takeRecurrence } from './change.ts';
import { hasEnded } from './mandate.ts';
import { findMandate, type MandateRecord, type MandateRef } from './store.ts';

export async function lookAtMandate(deps: LookDeps, { mandateId, accountId }: MandateRef): Promise<JobOutcome> {
  const mandate = await findMandate(deps.db, mandateId, accountId);
  if (!mandate || hasEnded(mandate)) return 'done';
  const calls = callsOf(deps, mandate.rail);
  if (!calls) return 'done';
  const known = mandate.recurrenceId === undefined ? await bring(deps, calls, mandate) : mandate;
  if (!known || hasEnded(known) || known.recurrenceId === undefined) return 'done';
  if (known.cancelAskedAt) await cancel(deps, calls, known);
  else await read(deps, calls, known);
  return 'done';
}

async function cancel(deps: LookDeps, calls: AutomaticCalls, mandate: MandateRecord): Promise<void> {
  const answer = await calls.cancelRecurrence(mandate.recurrenceId!);
  if (answer.kind === 'found') await takeRecurrence(deps, mandate, answer.recurrence);
  else if (answer.kind === 'rejected') await noteRefusal(deps, mandate, answer.reason);
  else await planNextLook(deps, mandate);
}

async function noteRefusal(deps: LookDeps, mandate: MandateRecord, reason: string): Promise<void> {
  const { id: mandateId, cancelRefusal } = mandate;
  if (cancelRefusal === undefined)
    deps.log.warn('the PSP refuses to cancel a mandate; it is asked again', { mandateId });
  await changeMandate(deps, mandate, before => (hasEnded(before) ? before : { ...before, cancelRefusal: reason }));
}

/** Reads what became of it, and asks the payer in journey 1. */
async function read(deps: LookDeps, calls: AutomaticCalls, mandate: MandateRecord): Promise<void> {
  const reference = mandate.status !== 'APPROVED' ? await referenceOf(deps, mandate) : undefined;
  const answer = await calls.recurrence(mandate.recurrenceId!, reference);
  // The code of a charge that is paid is not shown any more; the state still is.
  const again =
    answer.kind === 'unknown' || reference === undefined || answer.kind === 'found'
      ? answer
      : await calls.recurrence(mandate.recurrenceId!);
  if (again.kind !== 'found') return planNextLook(deps, mandate);
  const now = await takeRecurrence(deps, mandate, again.recurrence);
  if (now.journey === 1 && now.status === 'CREATED') await askPayer(deps, calls, now, again.recurrence);
}

const OPEN_REQUEST: readonly (string | undefined)[] = ['CREATED', 'SENT', 'RECEIVED', 'ACCEPTED', undefined];

/** Asks once; an answer that was lost is found among the requests of the recurrence. */
async function askPayer(
  deps: LookDeps,
  calls: AutomaticCalls,
  mandate: MandateRecord,
  { requests }: Recurrence,
): Promise<void> {
  const at = deps.clock.now();
  const open = openRequest(requests);
  if (open) return noteAsked(deps, mandate, open.id);
  if (mandate.requestId !== undefined)
    return giveUp(deps, mandate, 'The payer was asked and has not approved in time.');
  const { payerAccount, asksUntil, askedAt } = mandate;
  if (askedAt && at.getTime() - askedAt.getTime() < SETTLED_AFTER_MS) return;
  if (!payerAccount || !asksUntil || asksUntil <= at) {
    return giveUp(deps, mandate, 'The payer could not be asked in time.');
  }
  if (!(await startAsking(deps, mandate, at))) return;
  const { document } = await requireCustomer(deps.db, mandate.customerId, mandate.accountId);
  const answer = await calls.askPayer({
    ...payerAccount,
    recurrenceId: mandate.recurrenceId!,
    expiresAt: asksUntil,
    document,
  });
  if (answer.kind === 'found') await noteAsked(deps, mandate, answer.request.id);
  if (answer.kind !== 'rejected') return;
  // A repeat is refused when the first request was taken late: a recurrence has one open request.
  const known = await calls.recurrence(mandate.recurrenceId!);
  const earlier = known.kind === 'found' ? openRequest(known.recurrence.requests) : undefined;
  if (earlier) await noteAsked(deps, mandate, earlier.id);
  else if (known.kind === 'found') await giveUp(deps, mandate, answer.reason);
}

function openRequest(requests: Recurrence['requests']) {
  return requests.find(({ status }) => OPEN_REQUEST.includes(status));
}

/** Notes that the payer is asked now. False when another node has asked meanwhile, or the mandate was canceled. */
async function startAsking(deps: LookDeps, mandate: MandateRecord, at: Date): Promise<boolean> {
  let isOurs = false;
  await changeMandate(deps, mandate, before => {
    isOurs =
      before.status === 'CREATED' &&
      before.requestId === undefined &&
      before.cancelAskedAt === undefined &&
      before.askedAt?.getTime() === mandate.askedAt?.getTime();
    return isOurs ? { ...before, askedAt: at } : before;
  });
  return isOurs;
}

async function noteAsked(deps: LookDeps, mandate: MandateRecord, requestId: string): Promise<void> {
  if (mandate.requestId === requestId) return;
  await changeMandate(deps, mandate, ({ payerAccount: _, ...before }) => ({ ...before, requestId }));
}

/** It can no longer be approved, so it is canceled at the PSP. */
async function giveUp(deps: LookDeps, mandate: MandateRecord, reason: string): Promise<void> {
  await changeMandate(deps, mandate, ({ payerAccount: _, ...before }) => ({
    ...before,
    reason,
    cancelAskedAt: deps.clock.now(),
  }));
}
