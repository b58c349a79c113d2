// Asking the rails what money they have seen: the job `charge.reconcile`. What a notification would have told is learnt here
// too, so a lost one costs time and nothing else.
import type { Jobs, Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type Rails, railNamed } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { type LivingCharge, paymentRequest } from './charge.ts';
import { type Receipt, recordPayment } from './pay.ts';
import { findCharge } from './store.ts';
import { insertUnmatched } from './store-money.ts';
import { setTimers } from './store-timers.ts';

type Deps = { readonly db: Database; readonly queue: Queue; readonly rails: Rails; readonly clock: Clock };

export async function reconcileCharge(deps: Deps, { accountId, chargeId }: Jobs['charge.reconcile']): Promise<void> {
  await deps.clock.refresh();
  const until = deps.clock.now();
  const charge = await findCharge(deps.db, chargeId, accountId);
  if (!charge) return;
  for (const { method, rail: railName, instrument, status } of charge.ways) {
    if (!instrument || status === 'FAILED') continue;
    const rail = railNamed(deps.rails, method, railName);
    for (const receipt of await rail.reconcile(paymentRequest(charge), instrument, until)) {
      await takeReceipt(deps, { chargeId, method, source: rail.name, ...receipt });
    }
  }
  await lookAgain(deps, charge, until);
}

/** Money that the charge cannot take is kept for a person, and keeps nothing else from being taken. */
async function takeReceipt(deps: Deps, receipt: Required<Receipt>): Promise<void> {
  try {
    await recordPayment(deps, receipt);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'unavailable') throw error;
    const { reference, paidAt, amountCents, source } = receipt;
    const unmatched = { reference: `${source} ${reference}`, postedAt: paidAt, amountCents, words: error.message };
    await deps.db.transaction(tx => insertUnmatched(tx, unmatched, deps.clock.now()));
  }
}

/** Sets the next look, while there is anything to wait for. */
async function lookAgain(deps: Deps, charge: LivingCharge, after: Date): Promise<void> {
  const looks = charge.ways
    .filter(({ status }) => status !== 'FAILED')
    .flatMap(
      ({ method, rail }) => railNamed(deps.rails, method, rail).reconcileAfter(paymentRequest(charge), after) ?? [],
    );
  if (looks.length === 0) return;
  const at = new Date(Math.min(...looks.map(Number)));
  await deps.db.transaction(tx =>
    setTimers(tx, [{ chargeId: charge.id, accountId: charge.accountId, kind: 'reconcile', at, isAwaited: true }]),
  );
}
