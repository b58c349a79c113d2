// Withdraws methods that must no longer be paid: the job `charge.retire` cancels at the rail a method that was canceled,
// has expired, or whose charge was paid by the other method.
import { defineJob, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import type { Queue } from '../../jobs/queue.ts';
import { DAY_MS } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { MethodStatus } from '../../rails/methods/method.ts';
import type { Method } from '../../rails/methods/methods.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { instructWriteOff } from '../bank-files/instruct.ts';
import { type Charge, type ChargeMethod, paymentRequest } from '../charge.ts';
import { isUnpaid } from '../life.ts';
import { closesAt } from '../owed.ts';
import { findCharge } from '../store/charges.ts';
import type { WriteDeps } from '../write.ts';
import { logUndecided } from './undecided.ts';

export const RETIRE = defineJob<{
  readonly accountId: string;
  readonly chargeId: string;
  readonly method: Method;
}>('charge.retire');

/** How long after the last payable day the bank is still asked to withdraw the method. */
const GIVE_UP_AFTER_MS = 7 * DAY_MS;

/** Ended without a payment. */
export const RETIRED: readonly MethodStatus[] = ['CANCELED', 'EXPIRED', 'PAID_BY_OTHER_METHOD'];

export const isRetired = ({ status }: ChargeMethod) => RETIRED.includes(status);

/** Enqueues, in the transaction, a job for every method that a step has retired. */
export async function enqueueRetirement(
  queue: Queue,
  tx: Sql,
  steps: readonly { before: Charge; after: Charge }[],
): Promise<void> {
  const jobs = steps.flatMap(({ before, after }) =>
    after.methods
      .filter(isRetired)
      .filter(({ method }) => before.methods.some(former => former.method === method && isUnpaid(former)))
      .map(({ method }) => ({ accountId: after.accountId, chargeId: after.id, method })),
  );
  await queue.enqueue(tx, RETIRE, jobs);
}

type Deps = WriteDeps & { readonly db: Database; readonly rails: Rails; readonly clock: Clock; readonly log: Log };

/** Cancels a method at its rail. The call is idempotent: it is repeated after a lost reply. */
export async function retireMethod(
  deps: Deps,
  { accountId, chargeId, method }: PayloadOf<typeof RETIRE>,
): Promise<JobOutcome> {
  const charge = await findCharge(deps.db, chargeId, accountId);
  const retired = charge?.methods.find(candidate => candidate.method === method);
  if (!charge || retired?.reference === undefined || !isRetired(retired)) return 'done';
  const rail = railNamed(deps.rails, retired.method, retired.rail);
  if (!rail.can.withdraw) return 'done';
  if (rail.files) {
    await instructWriteOff(deps, charge);
    return 'done';
  }
  const outcome = await rail.cancel(paymentRequest(charge, method), retired.reference, retired);
  if (outcome.kind === 'withdrawn' || outcome.kind === 'too_late') return 'done';
  // By then the bank itself accepts no more payments; any that arrived meanwhile are found anyway.
  if (deps.clock.now().getTime() > closesAt(charge).getTime() + GIVE_UP_AFTER_MS) return 'done';
  logUndecided(deps.log, outcome, { chargeId, chargeMethod: method, rail: rail.name });
  return 'postponed';
}
