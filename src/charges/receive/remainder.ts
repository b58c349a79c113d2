// The charge for the remainder of a partly paid charge: one at a time. When it is paid, the first charge is fully paid; when the first
// charge no longer needs it, it is canceled.
import type { JobOutcome, PayloadOf } from '../../jobs/job.ts';
import { addDays, civilDay, momentOn } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, noSuch } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { traceOf } from '../../lib/tracing.ts';
import type { Method } from '../../rails/methods/methods.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { insertTraces } from '../../storage/object-traces.ts';
import { cancelOpen } from '../cancel.ts';
import { type Charge, type ChargeState, isOrdered, type NewCharge, takesRemainder } from '../charge.ts';
import { buildCharge } from '../create/build.ts';
import { type ChargeDeps, writeCharge } from '../create/create.ts';
import { type IssueNowDeps, issueNow } from '../issue/issue-now.ts';
import { heldCents, isUnpaid, missingCents, restsChanged, wasPaidUp } from '../life.ts';
import { findCharge, lockCharges } from '../store/charges.ts';
import { findRests, storeRemainder } from '../store/remainders.ts';
import { type WriteDeps, writeSteps } from '../write.ts';
import type { FOLLOW_REMAINDER } from './remainder-job.ts';

export type RemainderDeps = ChargeDeps & IssueNowDeps;

/** What the caller may choose; everything else is copied from the first charge. */
type RemainderTerms = Partial<Pick<NewCharge, 'methods' | 'dueAt' | 'expireAt'>>;

type MadeRemainder = { readonly charge: Charge; readonly replayed: boolean };

/**
 * Creates the charge for the remainder of a charge that is `PARTIALLY_PAID`. At most one is open: a repeat returns it, regardless of its
 * input, until it ends unpaid. Refuses a charge in another state, and one that pays for an order, which gets a new price instead.
 */
export async function makeRemainder(
  deps: RemainderDeps,
  chargeId: string,
  terms: RemainderTerms = {},
): Promise<MadeRemainder> {
  const now = deps.clock.now();
  // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own row.
  const id = uuidV7(now);
  const { charge, isNew } = await deps.db.transaction(async tx => {
    const [first] = await lockCharges(tx, [chargeId]);
    if (!first) throw noSuch('charge');
    const last = await lockRemainder(tx, first);
    if (last && !needsAnother(first, last)) return { charge: last, isNew: last.id === id };
    requirePaidInPart(first);
    const missing = missingCents(first);
    const built = buildCharge(deps, { ...asked(first, missing, now), ...terms }, id, now);
    const written = await writeCharge(deps, tx, { ...built, remainderOf: first.id });
    await storeRemainder(tx, first, { chargeId: id, amountCents: missing });
    await insertTraces(tx, [traceOf(id, now)]);
    return { charge: written, isNew: true };
  });
  return isNew ? { charge: await issueNow(deps, charge), replayed: false } : { charge, replayed: true };
}

/** It is newer than the first charge, which is locked before it. This order prevents deadlocks. */
async function lockRemainder(tx: Sql, { remainder }: Charge): Promise<Charge | undefined> {
  if (!remainder) return undefined;
  const [found] = await lockCharges(tx, [remainder.chargeId]);
  if (!found) throw new AppError('not_found', 'The charge for the rest is not there.');
  return found;
}

/** The last one has ended without completing the first, or has completed it and money is missing again. */
function needsAnother(first: Charge, last: Charge): boolean {
  if (first.state !== 'PARTIALLY_PAID' || missingCents(first) <= 0n) return false;
  if (wasPaidUp(last)) return first.remainder?.isPaid ?? false;
  return ENDED.includes(last.state);
}

const ENDED: readonly ChargeState[] = ['FAILED', 'CANCELED', 'EXPIRED', 'REFUNDED'];

function requirePaidInPart(charge: Charge): void {
  if (!takesRemainder(charge)) {
    const instead = isOrdered(charge) ? 'the order gets a new price' : 'the order of its cycle is paid by one charge';
    throw new AppError('wrong_state', `A charge that pays for crypto has no remainder: ${instead}.`);
  }
  if (charge.state !== 'PARTIALLY_PAID') {
    throw new AppError('wrong_state', `Nothing is left to charge of a charge that is ${charge.state}.`);
  }
}

/** Leaves time to pay a boleto. */
const DAYS_TO_PAY = 3;

/** Missing money is in reais, whatever the first charge was denominated in. */
function asked(first: Charge, amountCents: bigint, now: Date): NewCharge {
  const { accountId, customer, customerId, sourceKey, description, metadata, finePercent, interestPercent } = first;
  const lastSecond = new Date(momentOn(addDays(civilDay(now), DAYS_TO_PAY + 1)).getTime() - 1_000);
  return {
    accountId,
    customer,
    ...(customerId !== undefined && { customerId }),
    amountCents,
    currency: 'BRL',
    methods: methodsOf(first),
    dueAt: first.dueAt > lastSecond ? first.dueAt : lastSecond,
    ...(sourceKey !== undefined && { sourceKey }),
    ...(description !== undefined && { description }),
    ...(metadata && { metadata }),
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
  };
}

function methodsOf({ methods }: Charge): Method[] {
  return methods.filter(({ status }) => status !== 'FAILED').map(({ method }) => method);
}

type FollowDeps = WriteDeps & { readonly db: Database; readonly clock: Clock };

/** Safe to run any number of times. */
export async function followRemainder(
  deps: FollowDeps,
  { accountId, chargeId }: PayloadOf<typeof FOLLOW_REMAINDER>,
): Promise<JobOutcome> {
  await deps.db.transaction(async tx => {
    const found = await findCharge(tx, chargeId, accountId);
    if (!found?.remainder) return;
    const locked = await lockCharges(tx, [found.id, ...(await findRests(tx, found.id))]);
    const first = locked.find(({ id }) => id === found.id);
    const rests = locked.filter(({ remainderOf }) => remainderOf === found.id);
    if (!first) return;
    const at = deps.clock.now();
    const paid = rests.filter(wasPaidUp);
    const sums = {
      broughtCents: sum(paid.map(({ payableCents }) => payableCents)),
      returnedCents: sum(paid.map(returnedOf)),
    };
    const isPaid = paid.some(({ id }) => id === first.remainder?.chargeId);
    const steps = restsChanged(first, sums, isPaid);
    await writeSteps(
      deps,
      tx,
      steps.map(step => ({ step, at })),
    );
    const { isPaidInPart, state } = steps.at(-1)?.after ?? first;
    if (isPaidInPart && state !== 'REFUNDED') return;
    for (const rest of rests) if (!wasPaidUp(rest)) await cancelWithRest(deps, tx, rest, at);
  });
  return 'done';
}

/** How much of the needed money went back; refunds of money paid above that change nothing. */
function returnedOf(rest: Charge): bigint {
  const gone = rest.payableCents - heldCents(rest);
  return gone < 0n ? 0n : gone;
}

function sum(cents: readonly bigint[]): bigint {
  return cents.reduce((total, one) => total + one, 0n);
}

/** A partly paid remainder may have a remainder of its own, which is canceled with it. */
async function cancelWithRest(deps: FollowDeps, tx: Sql, charge: Charge, at: Date): Promise<void> {
  if (charge.methods.some(isUnpaid)) await cancelOpen(deps, tx, charge, at);
  if (!charge.remainder || charge.remainder.isPaid) return;
  const [rest] = await lockCharges(tx, [charge.remainder.chargeId]);
  if (rest) await cancelWithRest(deps, tx, rest, at);
}
