// Handles what time makes due of subscriptions: the charge of a cycle, the end of a trial, unpaid cycles. The sweep takes the
// oldest first, in bounded batches; each batch is one short transaction without calls to a bank.
import type { Charge } from '../../charges/charge.ts';
import type { BuildDeps } from '../../charges/create/build.ts';
import { type WriteNewDeps, writeNewCharges } from '../../charges/create/write-new.ts';
import { type Sweep, sweepInBatches } from '../../jobs/sweep.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { contentHash } from '../../lib/hash.ts';
import type { Beat } from '../../lib/loop.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { Customer } from '../customers/customer.ts';
import { findCustomers } from '../customers/store.ts';
import { chargeOfCycle, type Made, refusalOf } from './charge-cycle.ts';
import {
  activated,
  asItIs,
  canceled,
  charged,
  fellDue,
  gaveUp,
  hasEnded,
  refused,
  type Standing,
  type Step,
} from './life.ts';
import { type Moment, nextMoment } from './moments.ts';
import { findDue, lockStandings, nextDueAt } from './store.ts';
import { withMoney } from './with-money.ts';
import { joined, writeSteps } from './write.ts';

export type SubscriptionSweepDeps = BuildDeps & WriteNewDeps & { readonly db: Database };

/** A charge asks a rail for its code, so a moved sandbox clock stops at each. */
export function subscriptionSweep(deps: SubscriptionSweepDeps): Sweep {
  return {
    name: 'timers of subscriptions',
    upTo: (moment, beat) => sweepSubscriptions(deps, moment, beat),
    nextStopAt: nextDueAt,
  };
}

async function sweepSubscriptions(deps: SubscriptionSweepDeps, until: Date, beat?: Beat): Promise<number> {
  // Most sweeps find nothing; this read then saves the transaction. It still sees what another node is taking.
  if (!(await nextDueAt(deps.db, until))) return 0;
  return sweepInBatches(deps.db, (tx, limit) => sweepBatch(deps, tx, until, limit), beat);
}

async function sweepBatch(deps: SubscriptionSweepDeps, tx: Sql, until: Date, limit: number): Promise<number> {
  const due = await findDue(tx, until, limit);
  if (due.length === 0) return 0;
  const standings = await withMoney(tx, await lockStandings(tx, due), until);
  const customers = await customersOf(tx, standings);
  const at = until;
  const build: Make = async ({ subscription }, cycle, customer) =>
    chargeOfCycle(deps, subscription, cycle, customer, at);
  const advances: Advance[] = [];
  for (const standing of standings) advances.push(await advance(standing, customers, at, build));
  const charges = advances.flatMap(one => one.charges);
  const written = await writeNewCharges(deps, tx, charges.map(withHash), { isAlone: false });
  // Those whose agreement has too few numbers left for all of them are made one by one.
  const makeAlone: Make = async (standing, cycle, customer) => {
    const made = await build(standing, cycle, customer);
    return 'refusal' in made ? made : writeAlone(deps, tx, made.charge);
  };
  const steps: Step[] = [];
  for (const { before, step, charges: own } of advances) {
    const isWritten = own.every(({ id }) => written.has(id));
    steps.push(isWritten ? step : (await advance(before, customers, at, makeAlone)).step);
  }
  await writeSteps(deps, tx, steps, at);
  return due.length;
}

type Make = (standing: Standing, cycle: Standing['cycles'][number], customer: Customer) => Promise<Made>;

/** What became due of one subscription, as one step, with the charges that it needs. */
type Advance = { readonly before: Standing; readonly step: Step; readonly charges: readonly Charge[] };

/** After a long standstill more is due at once; the rest follows with the next batch. */
const MAX_STEPS = 50;

async function advance(
  before: Standing,
  customers: ReadonlyMap<string, Customer>,
  at: Date,
  make: Make,
): Promise<Advance> {
  const customer = customers.get(before.subscription.customerId);
  if (!customer || customer.erasedAt) {
    const isOver = hasEnded(before.subscription);
    return { before, step: isOver ? asItIs(before) : canceled(before, at, 'customer_erased'), charges: [] };
  }
  const charges: Charge[] = [];
  let step = asItIs(before);
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const due = nextMoment(step.after);
    if (!due || due.at > at) break;
    if (due.kind !== 'charge') {
      step = joined(step, timePassed(step.after, due, at));
      continue;
    }
    const made = await make(step.after, due.cycle, customer);
    if ('refusal' in made) step = joined(step, refused(step.after, due.cycle, made.refusal, at));
    else {
      charges.push(made.charge);
      step = joined(step, charged(step.after, due.cycle, termsOf(made.charge)));
    }
  }
  return { before, step, charges };
}

function timePassed(standing: Standing, due: Exclude<Moment, { readonly kind: 'charge' }>, at: Date): Step {
  switch (due.kind) {
    case 'activate':
      return activated(standing);
    case 'fall_due':
      return fellDue(standing, due.cycle);
    case 'give_up':
      return gaveUp(standing, at);
    case 'end':
      return canceled(standing, at, standing.subscription.cancelReason ?? 'requested');
  }
}

async function customersOf(tx: Sql, standings: readonly Standing[]): Promise<ReadonlyMap<string, Customer>> {
  const ids = standings.map(({ subscription }) => subscription.customerId);
  const customers = await findCustomers(tx, [...new Set(ids)]);
  return new Map(customers.map(customer => [customer.id, customer]));
}

/** The hash covers the new id, so no request to create a charge can count as a repeat of this one. */
function withHash(charge: Charge) {
  return { charge, hash: contentHash({ id: charge.id }) };
}

/** A refusal comes before anything is written, so the transaction goes on. */
async function writeAlone(deps: SubscriptionSweepDeps, tx: Sql, charge: Charge): Promise<Made> {
  try {
    await writeNewCharges(deps, tx, [withHash(charge)], { isAlone: true });
    return { charge };
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

function termsOf({ id, amountCents, currency, dueAt }: Charge) {
  return { chargeId: id, amountCents, currency, dueDay: civilDay(dueAt) };
}
