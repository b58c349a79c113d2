// Asks banks that answer for single requests whether they were paid: the job `charge.reconcile`. It finds every payment that
// a notification would report, so a lost notification only delays the payment.
import { defineJob, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import type { Rail } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import { type Charge, paymentRequest } from '../charge.ts';
import { type ReceiptDeps, takeReceiptOf } from '../receive/receipts.ts';
import { findCharge } from '../store/charges.ts';
import { setTimers } from '../store/timers.ts';

type Deps = ReceiptDeps & { readonly rails: Rails };

export const RECONCILE = defineJob<{ readonly accountId: string; readonly chargeId: string }>('charge.reconcile');

export async function reconcileCharge(
  deps: Deps,
  { accountId, chargeId }: PayloadOf<typeof RECONCILE>,
): Promise<JobOutcome> {
  const until = deps.clock.now();
  const charge = await findCharge(deps.db, chargeId, accountId);
  if (!charge) return 'done';
  for (const { method, rail: railName, reference, status } of charge.methods) {
    const rail = railNamed(deps.rails, method, railName);
    if (reference === undefined || status === 'FAILED' || rail.watch?.by !== 'request') continue;
    for (const receipt of await rail.watch.receiptsOf(paymentRequest(charge, method), reference, until)) {
      await takeReceiptOf(deps, rail, chargeId, receipt);
    }
  }
  await scheduleNextLook(deps, charge, until);
  return 'done';
}

/** When the rail expects to be asked about the charge again; undefined when it does not. */
export function nextLook({ method, watch }: Rail, charge: Charge, after: Date): Date | undefined {
  return watch?.by === 'request' ? watch.nextLook(paymentRequest(charge, method), after) : undefined;
}

/** Sets the timer of the next question, unless no rail expects anything more. */
async function scheduleNextLook(deps: Deps, charge: Charge, after: Date): Promise<void> {
  const times = charge.methods
    .filter(({ status }) => status !== 'FAILED')
    .flatMap(({ method, rail }) => nextLook(railNamed(deps.rails, method, rail), charge, after) ?? []);
  if (times.length === 0) return;
  const at = new Date(Math.min(...times.map(Number)));
  await deps.db.transaction(tx =>
    setTimers(tx, [{ chargeId: charge.id, accountId: charge.accountId, kind: 'reconcile', at, isAwaited: true }]),
  );
}
