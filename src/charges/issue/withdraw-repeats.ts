// Withdraws duplicates of a request that was sent twice: the job `charge.withdraw_repeats`. A bank that assigns its own numbers makes
// a second boleto of a repeat, and may show the first only later; a payer could pay both.
import { defineJob, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import type { Queue } from '../../jobs/queue.ts';
import { DAY_MS } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Method } from '../../rails/methods/methods.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Database } from '../../storage/database.ts';
import { type Charge, type ChargeMethod, paymentRequest } from '../charge.ts';
import { isPayable } from '../life.ts';
import { findCharge } from '../store/charges.ts';
import { markResent } from '../store/sent.ts';
import { logUndecided } from './undecided.ts';

export const WITHDRAW_REPEATS = defineJob<{
  readonly accountId: string;
  readonly chargeId: string;
  readonly method: Method;
}>('charge.withdraw_repeats');

/** A boleto that the bank does not show by then was never made. */
const GIVE_UP_AFTER_MS = DAY_MS;

type PlanDeps = { readonly db: Database; readonly queue: Queue; readonly clock: Clock };

/** Called before a request is sent again, so that it is planned even if the process dies afterwards. One job withdraws all repeats of a method. */
export async function planWithdrawal(
  { db, queue, clock }: PlanDeps,
  { id: chargeId, accountId }: Pick<Charge, 'id' | 'accountId'>,
  method: Method,
): Promise<void> {
  await db.transaction(async tx => {
    const isFirst = await markResent(tx, { id: chargeId, accountId }, method, clock.now());
    if (isFirst) await queue.enqueue(tx, WITHDRAW_REPEATS, [{ accountId, chargeId, method }]);
  });
}

/** Until when the bank is asked for boletos other than the one handed out; undefined when it was sent once. */
export function repeatsEndOf({ createdAt }: Charge, { sentAt, isSentAgain }: ChargeMethod): Date | undefined {
  return isSentAgain && new Date((sentAt ?? createdAt).getTime() + GIVE_UP_AFTER_MS);
}

type Deps = { readonly db: Database; readonly rails: Rails; readonly clock: Clock; readonly log: Log };

/** The boleto that was handed out is kept while it can be paid. */
export async function withdrawRepeats(
  deps: Deps,
  { accountId, chargeId, method }: PayloadOf<typeof WITHDRAW_REPEATS>,
): Promise<JobOutcome> {
  const charge = await findCharge(deps.db, chargeId, accountId);
  const sent = charge?.methods.find(candidate => candidate.method === method);
  if (!charge || sent?.reference === undefined) return 'done';
  if (sent.status === 'CREATING') return 'postponed';
  const rail = railNamed(deps.rails, method, sent.rail);
  // Without its id at the bank it cannot be distinguished from the others.
  if (!rail.withdrawRepeats || (isPayable(sent) && sent.bankId === undefined)) return 'done';
  const kept = isPayable(sent) ? sent.bankId : undefined;
  const outcome = await rail.withdrawRepeats(paymentRequest(charge, method), sent.reference, kept);
  if (outcome.kind === 'withdrawn') {
    deps.log.warn('the bank made a second boleto of a charge; it is canceled', { chargeId, rail: rail.name });
  }
  const isOver = deps.clock.now().getTime() - (sent.sentAt ?? charge.createdAt).getTime() > GIVE_UP_AFTER_MS;
  // A request may have been sent more than twice, and the bank may show the next one later.
  if (outcome.kind === 'withdrawn') return isOver ? 'done' : 'postponed';
  if (outcome.kind === 'none') return isOver ? 'done' : 'postponed';
  logUndecided(deps.log, outcome, { chargeId, chargeMethod: method, rail: rail.name });
  if (!isOver) return 'postponed';
  deps.log.error('the bank may still have a second boleto of a charge: cancel it there', { chargeId, rail: rail.name });
  return 'done';
}
