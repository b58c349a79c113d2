// Asking the rails what money they have seen: the job `charge.reconcile`. What a notification would have told is learnt here
// too, so a lost one costs time and nothing else.
import type { Jobs, Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Rail, Rails } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { type LivingCharge, paymentRequest } from './charge.ts';
import { isUnpaid } from './life.ts';
import { recordPayment } from './pay.ts';
import { findCharge } from './store.ts';
import { setTimers } from './store-timers.ts';

type Deps = { readonly db: Database; readonly queue: Queue; readonly rails: Rails; readonly clock: Clock };

export async function reconcileCharge(deps: Deps, { accountId, chargeId }: Jobs['charge.reconcile']): Promise<void> {
  await deps.clock.refresh();
  const until = deps.clock.now();
  const charge = await findCharge(deps.db, chargeId, accountId);
  if (!charge) return;
  for (const { method, instrument, status } of charge.ways) {
    if (!instrument || status === 'FAILED') continue;
    const rail: Rail = deps.rails[method];
    for (const receipt of await rail.reconcile(paymentRequest(charge), instrument, until)) {
      await recordPayment(deps, { chargeId, method, source: rail.name, ...receipt });
    }
  }
  await lookAgain(deps, charge, until);
}

/** Sets the next look, while there is anything to wait for. */
async function lookAgain(deps: Deps, charge: LivingCharge, after: Date): Promise<void> {
  const looks = charge.ways
    .filter(isUnpaid)
    .flatMap(({ method }) => deps.rails[method].reconcileAfter(paymentRequest(charge), after) ?? []);
  if (looks.length === 0) return;
  const at = new Date(Math.min(...looks.map(Number)));
  await deps.db.transaction(tx =>
    setTimers(tx, [{ chargeId: charge.id, accountId: charge.accountId, kind: 'reconcile', at }]),
  );
}
