// Brings a mandate to the PSP, once: what was sent and not answered is looked up before it is sent again, and of two nodes one sends it.
import { isOf } from '../../charges/charge.ts';
import { findCharge } from '../../charges/store/charges.ts';
import type { AutomaticCalls, Recurrence, RecurrenceRequest } from '../../rails/automatic.ts';
import { requireCustomer } from '../customers/require.ts';
import { type LookDeps, SETTLED_AFTER_MS } from './calls.ts';
import { changeMandate, planNextLook, takeRecurrence } from './change.ts';
import { findMandatesOf, hasOtherWithContract, type MandateRecord } from './store.ts';

/** The clock of the PSP may differ. */
const CLOCK_MARGIN_MS = 10 * 60_000;

type Work = { readonly deps: LookDeps; readonly calls: AutomaticCalls };

/** Creates the recurrence, or finds the one that an earlier run created. Returns the mandate once the PSP has it. */
export async function bring(
  deps: LookDeps,
  calls: AutomaticCalls,
  mandate: MandateRecord,
): Promise<MandateRecord | undefined> {
  const work = { deps, calls };
  const at = deps.clock.now();
  const customer = await requireCustomer(deps.db, mandate.customerId, mandate.accountId);
  const payer = { name: customer.name, document: customer.document };
  if (mandate.sentAt) {
    const sent = await findSent(work, mandate, await requestOf(deps, mandate, payer));
    if (sent === 'unknown') return planNextLook(deps, mandate);
    if (sent) return takeRecurrence(deps, mandate, sent);
    if (at.getTime() - mandate.sentAt.getTime() < SETTLED_AFTER_MS) return planNextLook(deps, mandate);
  }
  if (mandate.cancelAskedAt) return end(deps, mandate, 'CANCELED');
  if (customer.erasedAt) return end(deps, mandate, 'FAILED', 'Its customer was erased.');
  const located = await withLocation(work, mandate);
  if (!located) return planNextLook(deps, mandate);
  const sending = await startSending(deps, located, at);
  return sending && send(work, sending, await requestOf(deps, sending, payer));
}

async function send(
  work: Work,
  mandate: MandateRecord,
  request: RecurrenceRequest,
): Promise<MandateRecord | undefined> {
  const { deps, calls } = work;
  const answer = await calls.createRecurrence(request);
  if (answer.kind === 'found') {
    const after = await takeRecurrence(deps, mandate, answer.recurrence);
    // Another was found meanwhile. The code of this one was never shown.
    if (after.recurrenceId !== answer.recurrence.id) await calls.cancelRecurrence(answer.recurrence.id);
    return after;
  }
  if (answer.kind !== 'rejected') return undefined;
  // A repeat is refused when the first request was taken late: its location is in use.
  const sent = await findSent(work, mandate, request);
  if (sent === 'unknown') return undefined;
  return sent ? takeRecurrence(deps, mandate, sent) : end(deps, mandate, 'FAILED', answer.reason);
}

/** The recurrence of an earlier request; undefined when the PSP does not have it, `unknown` when it does not answer. */
async function findSent(
  { deps, calls }: Work,
  mandate: MandateRecord,
  request: RecurrenceRequest,
): Promise<Recurrence | 'unknown' | undefined> {
  const to = deps.clock.now();
  const from = new Date((mandate.firstSentAt ?? to).getTime() - CLOCK_MARGIN_MS);
  const answer = await calls.findRecurrence(request, { from, to });
  if (answer.kind !== 'listed') return 'unknown';
  const [first, ...others] = await withoutMandate(deps, mandate, answer.recurrences);
  // A request that was taken late after it was repeated: the payer was not asked. With one contract they may be another mandate's.
  if (others.length > 0 && !(await hasOtherWithContract(deps.db, mandate))) {
    for (const { id } of others) await calls.cancelRecurrence(id);
  }
  return first;
}

async function withoutMandate({ db }: LookDeps, { rail }: MandateRecord, recurrences: readonly Recurrence[]) {
  const ids = recurrences.map(({ id }) => id);
  const taken = new Set((await findMandatesOf(db, [rail], ids)).map(({ recurrenceId }) => recurrenceId));
  return recurrences.filter(({ id, status }) => !taken.has(id) && status !== 'CANCELED');
}

/** Notes that it is sent now. Undefined when another node has sent or found it meanwhile, or it was canceled. */
async function startSending(deps: LookDeps, mandate: MandateRecord, at: Date): Promise<MandateRecord | undefined> {
  let isOurs = false;
  const sending = await changeMandate(deps, mandate, before => {
    isOurs =
      before.status === 'CREATING' &&
      before.recurrenceId === undefined &&
      before.cancelAskedAt === undefined &&
      before.sentAt?.getTime() === mandate.sentAt?.getTime();
    return isOurs ? { ...before, firstSentAt: before.firstSentAt ?? at, sentAt: at } : before;
  });
  return isOurs ? sending : undefined;
}

function end(
  deps: LookDeps,
  mandate: MandateRecord,
  status: 'FAILED' | 'CANCELED',
  reason?: string,
): Promise<MandateRecord> {
  const updatedAt = deps.clock.now();
  const isAsRead = (before: MandateRecord) =>
    before.status === 'CREATING' &&
    before.recurrenceId === undefined &&
    before.sentAt?.getTime() === mandate.sentAt?.getTime();
  return changeMandate(deps, mandate, before => {
    if (!isAsRead(before)) return before;
    const { payerAccount: _, ...rest } = before;
    return { ...rest, status, updatedAt, ...(reason !== undefined && { reason }) };
  });
}

/** With the location of its code, which journey 1 does not have. Undefined when the PSP returns no location now. */
async function withLocation({ deps, calls }: Work, mandate: MandateRecord) {
  if (mandate.journey === 1 || mandate.locationId !== undefined) return mandate;
  const answer = await calls.takeLocation();
  if (answer.kind !== 'found') return undefined;
  return changeMandate(deps, mandate, before => ({ ...before, locationId: before.locationId ?? answer.location.id }));
}

/** The txid of the charge that is paid with the code. */
export async function referenceOf(
  { db }: Pick<LookDeps, 'db'>,
  { chargeId, accountId }: MandateRecord,
): Promise<string | undefined> {
  const charge = chargeId === undefined ? undefined : await findCharge(db, chargeId, accountId);
  return charge?.methods.find(isOf('pix'))?.reference;
}

async function requestOf(
  deps: LookDeps,
  mandate: MandateRecord,
  payer: RecurrenceRequest['payer'],
): Promise<RecurrenceRequest> {
  const { contract, description, firstDay, lastDay, period, amountCents, minimumCents, allowsRetries } = mandate;
  const { locationId, journey } = mandate;
  const chargeReference = await referenceOf(deps, mandate);
  return {
    contract,
    payer,
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
