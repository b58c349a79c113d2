// The job `mandate.look`: brings a mandate to the PSP, asks the payer, cancels it, or reads what became of it. Safe to run any number of
// times, early or late: what was sent and not answered is looked up before it is sent again.
import { isOf } from '../../charges/charge.ts';
import { findCharge } from '../../charges/store/charges.ts';
import type { JobOutcome } from '../../jobs/job.ts';
import type { Log } from '../../lib/log.ts';
import type { AutomaticCalls, Recurrence, RecurrenceRequest } from '../../rails/automatic.ts';
import { findRail, type Rails } from '../../rails/rails.ts';
import { requireCustomer } from '../customers/require.ts';
import { type ChangeDeps, changeMandate } from './change.ts';
import { hasEnded, seen } from './mandate.ts';
import { findMandate, findMandatesOf, type MandateRecord, type MandateRef } from './store.ts';

export type LookDeps = ChangeDeps & { readonly rails: Rails; readonly log: Log };

/** What was sent may still be on its way for this long. */
const SETTLED_AFTER_MS = 2 * 60_000;
/** The clock of the PSP may differ. */
const CLOCK_MARGIN_MS = 10 * 60_000;

export async function lookAtMandate(deps: LookDeps, { mandateId, accountId }: MandateRef): Promise<JobOutcome> {
  const mandate = await findMandate(deps.db, mandateId, accountId);
  if (!mandate || hasEnded(mandate)) return 'done';
  const calls = callsOf(deps, mandate.rail);
  if (!calls) return 'done';
  const known = mandate.status === 'CREATING' ? await bring(deps, calls, mandate) : mandate;
  if (!known || hasEnded(known) || known.recurrenceId === undefined) return 'done';
  if (known.cancelAskedAt) await cancel(deps, calls, known);
  else await read(deps, calls, known);
  return 'done';
}

/** Undefined for a rail that is no longer configured: once it is again, the next look goes on. */
export function callsOf({ rails, log }: Pick<LookDeps, 'rails' | 'log'>, name: string): AutomaticCalls | undefined {
  const calls = findRail(rails, 'pix', name)?.automatic;
  if (!calls) log.error('mandates are at a rail that has no Pix Automático any more; configure it', { rail: name });
  return calls;
}

/** Creates the recurrence, or finds the one that an earlier run created. Returns the mandate once the PSP has it. */
async function bring(
  deps: LookDeps,
  calls: AutomaticCalls,
  mandate: MandateRecord,
): Promise<MandateRecord | undefined> {
  const at = deps.clock.now();
  const customer = await requireCustomer(deps.db, mandate.customerId, mandate.accountId);
  const payer = { name: customer.name, document: customer.document };
  if (mandate.firstSentAt && mandate.sentAt) {
    const period = { from: new Date(mandate.firstSentAt.getTime() - CLOCK_MARGIN_MS), to: at };
    const answer = await calls.findRecurrence({ contract: mandate.contract, payer }, period);
    if (answer.kind !== 'listed') return waitingFor(deps, mandate);
    const [first, ...others] = await withoutMandate(deps, mandate, answer.recurrences);
    // A request that was taken late after it was repeated: nobody has seen its code yet.
    for (const { id } of others) await calls.cancelRecurrence(id);
    if (first) return adopt(deps, mandate, first);
    if (at.getTime() - mandate.sentAt.getTime() < SETTLED_AFTER_MS) return waitingFor(deps, mandate);
  }
  if (mandate.cancelAskedAt) return end(deps, mandate, 'CANCELED');
  if (customer.erasedAt) return end(deps, mandate, 'FAILED', 'Its customer was erased.');
  const located = await withLocation(deps, calls, mandate);
  if (!located) return waitingFor(deps, mandate);
  const sending = await changeMandate(deps, located, before =>
    before.cancelAskedAt ? before : { ...before, firstSentAt: before.firstSentAt ?? at, sentAt: at },
  );
  if (sending.cancelAskedAt) return undefined;
  const answer = await calls.createRecurrence({ ...requestOf(sending, await referenceOf(deps, sending)), payer });
  if (answer.kind === 'found') return adopt(deps, sending, answer.recurrence);
  return answer.kind === 'rejected' ? end(deps, sending, 'FAILED', answer.reason) : undefined;
}

/** Leaves the mandate as it is until its next look. */
async function waitingFor(deps: LookDeps, mandate: MandateRecord): Promise<undefined> {
  await changeMandate(deps, mandate, before => before);
}

async function withoutMandate(deps: LookDeps, { rail }: MandateRecord, recurrences: readonly Recurrence[]) {
  const ids = recurrences.map(({ id }) => id);
  const taken = new Set((await findMandatesOf(deps.db, [rail], ids)).map(({ recurrenceId }) => recurrenceId));
  return recurrences.filter(({ id, status }) => !taken.has(id) && status !== 'CANCELED');
}

function adopt(deps: LookDeps, mandate: MandateRecord, recurrence: Recurrence): Promise<MandateRecord> {
  return changeMandate(deps, mandate, before => ({ ...before, ...seen(before, recurrence, deps.clock.now()) }));
}

function end(
  deps: LookDeps,
  mandate: MandateRecord,
  status: 'FAILED' | 'CANCELED',
  reason?: string,
): Promise<MandateRecord> {
  const updatedAt = deps.clock.now();
  return changeMandate(deps, mandate, ({ payerAccount: _, ...before }) =>
    before.status === 'CREATING' ? { ...before, status, updatedAt, ...(reason !== undefined && { reason }) } : before,
  );
}

/** With the location of its code, which journey 1 does not have. Undefined when the PSP returns no location now. */
async function withLocation(deps: LookDeps, calls: AutomaticCalls, mandate: MandateRecord) {
  if (mandate.journey === 1 || mandate.locationId !== undefined) return mandate;
  const answer = await calls.takeLocation();
  if (answer.kind !== 'found') return undefined;
  return changeMandate(deps, mandate, before => ({ ...before, locationId: answer.location.id }));
}

/** The txid of the charge that is paid with the code. */
async function referenceOf({ db }: LookDeps, { chargeId, accountId }: MandateRecord): Promise<string | undefined> {
  const charge = chargeId === undefined ? undefined : await findCharge(db, chargeId, accountId);
  return charge?.methods.find(isOf('pix'))?.reference;
}

function requestOf(mandate: MandateRecord, chargeReference: string | undefined): Omit<RecurrenceRequest, 'payer'> {
  const { contract, description, firstDay, lastDay, period, amountCents, minimumCents, allowsRetries } = mandate;
  const { locationId, journey } = mandate;
  return {
    contract,
    firstDay,
    period,
    allowsRetries,
    ...(description !== undefined && { description }),
    ...(lastDay !== undefined && { lastDay }),
    ...(amountCents !== undefined && { amountCents }),
    ...(minimumCents !== undefined && { minimumCents }),
    ...(locationId !== undefined && { locationId }),
    ...(journey === 3 && chargeReference !== undefined && { chargeReference }),
  };
}

async function cancel(deps: LookDeps, calls: AutomaticCalls, mandate: MandateRecord): Promise<void> {
  const answer = await calls.cancelRecurrence(mandate.recurrenceId!);
  if (answer.kind === 'found') await adopt(deps, mandate, answer.recurrence);
  else await waitingFor(deps, mandate);
}

/** Reads what became of it, and asks the payer in journey 1. */
async function read(deps: LookDeps, calls: AutomaticCalls, mandate: MandateRecord): Promise<void> {
  const reference = mandate.status === 'CREATED' ? await referenceOf(deps, mandate) : undefined;
  const answer = await calls.recurrence(mandate.recurrenceId!, reference);
  // The code of a charge that is paid is not shown any more; the state still is.
  const again =
    answer.kind === 'unknown' || reference === undefined || answer.kind === 'found'
      ? answer
      : await calls.recurrence(mandate.recurrenceId!);
  if (again.kind !== 'found') return waitingFor(deps, mandate);
  const now = await adopt(deps, mandate, again.recurrence);
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
  const open = requests.find(({ status }) => OPEN_REQUEST.includes(status));
  if (open) return noteAsked(deps, mandate, open.id);
  if (mandate.requestId !== undefined)
    return giveUp(deps, mandate, 'The payer was asked and has not approved in time.');
  const { payerAccount, asksUntil, askedAt } = mandate;
  if (askedAt && at.getTime() - askedAt.getTime() < SETTLED_AFTER_MS) return;
  if (!payerAccount || !asksUntil || asksUntil <= at) {
    return giveUp(deps, mandate, 'The payer could not be asked in time.');
  }
  await changeMandate(deps, mandate, before => ({ ...before, askedAt: at }));
  const { document } = await requireCustomer(deps.db, mandate.customerId, mandate.accountId);
  const answer = await calls.askPayer({
    ...payerAccount,
    recurrenceId: mandate.recurrenceId!,
    expiresAt: asksUntil,
    document,
  });
  if (answer.kind === 'found') await noteAsked(deps, mandate, answer.request.id);
  if (answer.kind === 'rejected') await giveUp(deps, mandate, answer.reason);
}

async function noteAsked(deps: LookDeps, mandate: MandateRecord, requestId: string): Promise<void> {
  if (mandate.requestId === requestId) return;
  await changeMandate(deps, mandate, ({ payerAccount: _, ...before }) => ({ ...before, requestId }));
}

/** Nobody can approve it any more, so it is canceled at the PSP. */
async function giveUp(deps: LookDeps, mandate: MandateRecord, reason: string): Promise<void> {
  await changeMandate(deps, mandate, ({ payerAccount: _, ...before }) => ({
    ...before,
    reason,
    cancelAskedAt: deps.clock.now(),
  }));
}
