// Asks the rails for received payments: the job `charge.reconcile`. It finds every payment that a notification would
// report, so a lost notification only delays the payment.
import { defineJob, type JobOutcome, type PayloadOf } from '../jobs/job.ts';
import { AppError, isOutage } from '../lib/errors.ts';
import { type Rail, type Rails, railNamed } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { type Charge, paymentRequest } from './charge.ts';
import { type PayDeps, type ReportedPayment, recordPayment } from './pay.ts';
import { findCharge } from './store.ts';
import { setTimers } from './store-timers.ts';
import { insertUnmatched } from './store-unmatched.ts';

type Deps = PayDeps & { readonly db: Database; readonly rails: Rails };

export const RECONCILE = defineJob<{ readonly accountId: string; readonly chargeId: string }>('charge.reconcile');

export async function reconcileCharge(
  deps: Deps,
  { accountId, chargeId }: PayloadOf<typeof RECONCILE>,
): Promise<JobOutcome> {
  const until = deps.clock.now();
  const charge = await findCharge(deps.db, chargeId, accountId);
  if (!charge) return 'done';
  for (const { method, rail: railName, instrument, status } of charge.methods) {
    if (!instrument || status === 'FAILED') continue;
    const rail = railNamed(deps.rails, method, railName);
    for (const receipt of await rail.reconcile(paymentRequest(charge), instrument, until)) {
      await takeReceipt(deps, rail, { chargeId, method, source: 'bank', ...receipt });
    }
  }
  await scheduleNextLookup(deps, charge, until);
  return 'done';
}

/** A receipt that the charge refuses is stored for an operator and does not stop the other receipts. */
async function takeReceipt(
  deps: Deps,
  { name }: Rail,
  receipt: Required<Omit<ReportedPayment, 'accountId'>>,
): Promise<void> {
  try {
    await recordPayment(deps, receipt);
  } catch (error) {
    // Only a refusal by the charge says something about the money; an outage is tried again.
    if (!(error instanceof AppError) || isOutage(error)) throw error;
    const { reference, paidAt, amountCents } = receipt;
    const unmatched = { reference: `${name} ${reference}`, postedAt: paidAt, amountCents, words: error.message };
    const reason = 'no_match';
    await deps.db.transaction(tx => insertUnmatched(tx, { ...unmatched, reason }, deps.clock.now()));
  }
}

/** Sets the timer of the next lookup, unless no rail expects anything more. */
async function scheduleNextLookup(deps: Deps, charge: Charge, after: Date): Promise<void> {
  const times = charge.methods
    .filter(({ status }) => status !== 'FAILED')
    .flatMap(
      ({ method, rail }) => railNamed(deps.rails, method, rail).reconcileAfter(paymentRequest(charge), after) ?? [],
    );
  if (times.length === 0) return;
  const at = new Date(Math.min(...times.map(Number)));
  await deps.db.transaction(tx =>
    setTimers(tx, [{ chargeId: charge.id, accountId: charge.accountId, kind: 'reconcile', at, isAwaited: true }]),
  );
}
