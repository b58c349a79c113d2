// Taking back what may no longer be paid: the job `charge.retire` tells the rail of a method that was canceled, expired or
// made needless by the other one.
import type { Jobs, Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { type Rails, railNamed } from '../rails/rail.ts';
import type { Database, Sql } from '../storage/database.ts';
import { type LivingCharge, type MethodStatus, paymentRequest } from './charge.ts';
import { isUnpaid } from './life.ts';
import { findCharge } from './store.ts';
import { UndecidedError } from './undecided.ts';

/** Ended without money of its own. */
export const RETIRED: readonly MethodStatus[] = ['CANCELED', 'EXPIRED', 'PAID_BY_OTHER_METHOD'];

/** Puts a job into the transaction for every method that a step has retired. */
export async function enqueueRetirement(
  queue: Queue,
  tx: Sql,
  steps: readonly { before: LivingCharge; after: LivingCharge }[],
): Promise<void> {
  const jobs = steps.flatMap(({ before, after }) =>
    after.ways
      .filter(
        ({ method, status }) =>
          RETIRED.includes(status) && before.ways.some(way => way.method === method && isUnpaid(way)),
      )
      .map(({ method }) => ({ accountId: after.accountId, chargeId: after.id, method })),
  );
  if (jobs.length > 0) await queue.enqueue(tx, 'charge.retire', jobs);
}

type Deps = { readonly db: Database; readonly rails: Rails; readonly clock: Clock };

/** Asks the rail to take a method back. Asking twice is asking once; a lost reply is asked again. */
export async function retireMethod(deps: Deps, { accountId, chargeId, method }: Jobs['charge.retire']): Promise<void> {
  const charge = await findCharge(deps.db, chargeId, accountId);
  const way = charge?.ways.find(candidate => candidate.method === method);
  if (!charge || !way?.instrument || !RETIRED.includes(way.status)) return;
  const rail = railNamed(deps.rails, way.method, way.rail);
  if (!rail.can.withdraw) return;
  const outcome = await rail.cancel(paymentRequest(charge), way.instrument);
  if (outcome.kind === 'unknown' || outcome.kind === 'accepted') throw new UndecidedError();
}
