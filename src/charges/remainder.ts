// The charge for what is missing of one that was paid in part: made once, and followed. When it is paid, the first one is paid; when the
// first one no longer needs it, it is canceled.
import type { JobOutcome, PayloadOf } from '../jobs/job.ts';
import { addDays, civilDay, momentOn } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { traceOf } from '../lib/tracing.ts';
import type { Method } from '../rails/rail.ts';
import type { Database, Sql } from '../storage/database.ts';
import { insertTraces } from '../storage/object-traces.ts';
import { buildCharge } from './build.ts';
import { cancelOpen } from './cancel.ts';
import { type Charge, isOrdered, type NewCharge } from './charge.ts';
import { type ChargeDeps, writeCharge } from './create.ts';
import { type IssueNowDeps, issueNow } from './issue-now.ts';
import { isUnpaid, missingCents, remainderPaid, withSettlement } from './life.ts';
import type { FOLLOW_REMAINDER } from './remainder-job.ts';
import { findCharge, lockCharges } from './store.ts';
import { storeRemainder } from './store-remainders.ts';
import { type WriteDeps, writeSteps } from './write.ts';

export type RemainderDeps = ChargeDeps & IssueNowDeps;

/** What the caller may choose; the rest is as it was in the first charge. */
export type RemainderTerms = Partial<Pick<NewCharge, 'methods' | 'dueAt' | 'expireAt'>>;

export type MadeRemainder = { readonly charge: Charge; readonly replayed: boolean };

/**
 * The charge for what is missing of a charge that is `PARTIALLY_PAID`. There is one at most: a repeat gets it again, whatever it asks
 * for. Refuses a charge in another state, and one that pays for an order, which takes a new price instead.
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
    if (!first) throw new AppError('not_found', 'There is no such charge.');
    if (first.remainder) return { charge: await findRemainder(tx, first), isNew: first.remainder.chargeId === id };
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

async function findRemainder(sql: Sql, { remainder, accountId }: Charge): Promise<Charge> {
  const found = remainder && (await findCharge(sql, remainder.chargeId, accountId));
  if (!found) throw new AppError('not_found', 'The charge for the rest is not there.');
  return found;
}

function requirePaidInPart(charge: Charge): void {
  if (isOrdered(charge)) {
    throw new AppError('wrong_state', 'A charge that pays for an order has no remainder: the order takes a new price.');
  }
  if (charge.state !== 'PARTIALLY_PAID') {
    throw new AppError('wrong_state', `Nothing is left to charge of a charge that is ${charge.state}.`);
  }
}

/** Time for a boleto to be paid. */
const DAYS_TO_PAY = 3;

/** Missing money is in reais, whatever the first charge was denominated in. */
function asked(first: Charge, amountCents: bigint, now: Date): NewCharge {
  const { accountId, customer, sourceKey, description, metadata, finePercent, interestPercent } = first;
  const lastSecond = new Date(momentOn(addDays(civilDay(now), DAYS_TO_PAY + 1)).getTime() - 1_000);
  return {
    accountId,
    customer,
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

/** It may run any number of times. */
export async function followRemainder(
  deps: FollowDeps,
  { accountId, chargeId }: PayloadOf<typeof FOLLOW_REMAINDER>,
): Promise<JobOutcome> {
  await deps.db.transaction(async tx => {
    const found = await findCharge(tx, chargeId, accountId);
    if (!found?.remainder) return;
    const locked = await lockCharges(tx, [found.id, found.remainder.chargeId]);
    const first = locked.find(({ id }) => id === found.id);
    const second = locked.find(({ id }) => id !== found.id);
    if (!first?.remainder || first.remainder.isPaid || !second) return;
    const at = deps.clock.now();
    // One whose money went back before this ran has brought nothing.
    if (second.state === 'PAID' || second.state === 'SETTLED') {
      const steps = withSettlement(remainderPaid(first));
      await writeSteps(
        deps,
        tx,
        steps.map(step => ({ step, at })),
      );
    } else if (!first.isPaidInPart || first.state === 'REFUNDED') {
      await cancelWithRest(deps, tx, second, at);
    }
  });
  return 'done';
}

/** A charge for the rest that was paid in part may have one of its own, which is needed no more than itself. */
async function cancelWithRest(deps: FollowDeps, tx: Sql, charge: Charge, at: Date): Promise<void> {
  if (charge.methods.some(isUnpaid)) await cancelOpen(deps, tx, charge, at);
  if (!charge.remainder || charge.remainder.isPaid) return;
  const [rest] = await lockCharges(tx, [charge.remainder.chargeId]);
  if (rest) await cancelWithRest(deps, tx, rest, at);
}
