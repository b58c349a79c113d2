// Has the charge of a cycle collected by a mandate of the customer. Where none can bring the money, the customer pays the charge by its own
// methods, and an event says so. Each step may run any number of times: a charge has one collection, and a cycle falls back once.
import { type Charge, isOf } from '../../charges/charge.ts';
import { isPayable, isUnpaid } from '../../charges/life.ts';
import type { JobOutcome } from '../../jobs/job.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { AppError, isOutage } from '../../lib/errors.ts';
import type { LookDeps } from '../mandates/calls.ts';
import { collectCharge } from '../mandates/collect.ts';
import { type Collection, isOver } from '../mandates/collection.ts';
import { hasEnded } from '../mandates/mandate.ts';
import { findMandatesOfCustomers, type MandateRecord } from '../mandates/store.ts';
import { findLastCollectionOfCharge } from '../mandates/store-collections.ts';
import type { Interval } from '../plans/cycle-days.ts';
import { refusalOf } from './charge-cycle.ts';
import { collecting, fellBack } from './cycle-notes.ts';
import { lockStandings } from './store.ts';
import type { Cycle, Subscription } from './subscription.ts';
import { writeStep } from './write.ts';

export type CollectCycleDeps = LookDeps & Parameters<typeof writeStep>[0];

type Of = { readonly subscriptionId: string; readonly chargeId: string; readonly accountId: string };

/** The collection that is to bring the money, or why none will. */
type Outcome = { readonly collectionId: string } | { readonly fallback: string; readonly collectionId?: string };

/** `postponed`: its pix cannot be paid yet. */
export async function collectCycle(
  deps: CollectCycleDeps,
  of: Of,
  subscription: Subscription,
  charge: Charge,
): Promise<JobOutcome> {
  if (!subscription.isAutomatic || !charge.methods.some(isUnpaid)) return 'done';
  const pix = charge.methods.find(isOf('pix'));
  if (pix && isUnpaid(pix) && !isPayable(pix)) return 'postponed';
  const known = await findLastCollectionOfCharge(deps.db, of.chargeId);
  await write(deps, of, known ? outcomeOf(known) : await collect(deps, subscription, charge));
  return 'done';
}

function outcomeOf(collection: Collection): Outcome {
  const { id, status, reason, ending } = collection;
  if (!isOver(collection) || status === 'COMPLETED') return { collectionId: id };
  return { fallback: reason ?? ending?.description ?? `The collection is ${status}.`, collectionId: id };
}

async function collect(deps: CollectCycleDeps, subscription: Subscription, charge: Charge): Promise<Outcome> {
  const { customerId, accountId, interval } = subscription;
  const ofCustomer = await findMandatesOfCustomers(deps.db, [customerId]);
  const mandate = mandateFor(
    ofCustomer.filter(one => !hasEnded(one) && !one.cancelAskedAt),
    charge,
    interval,
  );
  if (typeof mandate === 'string') return { fallback: mandate };
  try {
    const { collection } = await collectCharge(deps, { mandateId: mandate.id, chargeId: charge.id, accountId });
    return { collectionId: collection.id };
  } catch (error) {
    if (!(error instanceof AppError) || isOutage(error)) throw error;
    return { fallback: refusalOf(error) };
  }
}

/** A mandate of one period brings one charge in each. */
const PERIODS = {
  weekly: ['WEEKLY'],
  biweekly: ['WEEKLY'],
  monthly: ['MONTHLY'],
  quarterly: ['QUARTERLY'],
  semiannual: ['SEMIANNUAL'],
  yearly: ['YEARLY'],
} as const satisfies Record<Interval, readonly MandateRecord['period'][]>;

/** The newest that fits the charge, one that is approved before one that may be; or why none does. */
function mandateFor(mandates: readonly MandateRecord[], charge: Charge, interval: Interval): MandateRecord | string {
  const day = civilDay(charge.dueAt);
  const periods: readonly MandateRecord['period'][] = PERIODS[interval];
  const fitting = mandates.filter(
    ({ period, firstDay, lastDay = day, amountCents = charge.payableCents }) =>
      periods.includes(period) && firstDay <= day && day <= lastDay && amountCents === charge.payableCents,
  );
  const best = fitting.findLast(({ status }) => status === 'APPROVED') ?? fitting.at(-1);
  if (best) return best;
  return mandates.length === 0
    ? 'The customer has no mandate.'
    : 'No mandate of the customer is for this amount, day and interval.';
}

/** Under the lock of the subscription, as the cycle is now. */
async function write(deps: CollectCycleDeps, { subscriptionId, chargeId }: Of, outcome: Outcome): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction(async tx => {
    const [standing] = await lockStandings(tx, [subscriptionId], { ofCharge: chargeId });
    const cycle = standing?.cycles.find(one => one.chargeId === chargeId);
    if (!standing || !cycle || !isOwed(cycle)) return;
    const { collectionId } = outcome;
    // A node may have stopped before it noted the collection.
    const asked = collectionId === undefined ? cycle : { ...cycle, collectionId };
    const step =
      'fallback' in outcome
        ? fellBack(standing, asked, outcome.fallback)
        : collecting(standing, cycle, outcome.collectionId);
    if (step) await writeStep(deps, tx, step, now);
  });
}

function isOwed({ status }: Cycle): boolean {
  return status === 'open' || status === 'past_due';
}
