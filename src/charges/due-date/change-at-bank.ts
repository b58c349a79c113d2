// Asks a bank with an API for another due day of a boleto: the job `charge.change_due_day`. The request is stored before it is sent, and the
// bank's copy of the boleto is read before anything is sent again. Only that copy proves that the day has changed.
import { setTimeout as delay } from 'node:timers/promises';
import type { JobOutcome, PayloadOf } from '../../jobs/job.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { DueDayCalls, DueDayChange, DueDayFinding } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Database } from '../../storage/database.ts';
import { ENDED } from '../bank-files/instruct.ts';
import { type Charge, isOf, paymentRequest } from '../charge.ts';
import { logUndecided } from '../issue/undecided.ts';
import { isPayable } from '../life.ts';
import { findCharge, lockCharges } from '../store/charges.ts';
import { findDueChangeSent, isDueChangeOpen, markDueChangeSent, storeDueChangeCode } from '../store/due-dates.ts';
import type { WriteDeps } from '../write.ts';
import { applyDueDate, failDueChange, withDueDate } from './change-due-date.ts';
import type { CHANGE_DUE_DAY } from './due-day-job.ts';

type ChangeDeps = WriteDeps & { readonly db: Database; readonly rails: Rails; readonly clock: Clock };
type Deps = ChangeDeps & { readonly log: Log };

/** A change that the bank has not answered. */
type Open = {
  readonly charge: Charge;
  readonly dueAt: Date;
  readonly calls: DueDayCalls;
  readonly asked: DueDayChange;
};

export async function changeDueDay(
  deps: Deps,
  { accountId, chargeId }: PayloadOf<typeof CHANGE_DUE_DAY>,
): Promise<JobOutcome> {
  const charge = await findCharge(deps.db, chargeId, accountId);
  if (charge?.dueChange?.status !== 'PENDING') return 'done';
  const boleto = charge.methods.find(isOf('boleto'));
  if (!boleto || !isPayable(boleto)) return end(deps, charge, { kind: 'rejected', reason: ENDED });
  const rail = railNamed(deps.rails, 'boleto', boleto.rail);
  // The agreement has switched to files: the change must be requested again.
  if (rail.files)
    return end(deps, charge, { kind: 'rejected', reason: 'The bank now works by files: request the change again.' });
  const { open, sentAt } = await openChange(deps, charge);
  if (!open) return 'postponed';
  const finding = await look(deps, open, sentAt);
  if (finding.kind === 'changed' || finding.kind === 'rejected') return end(deps, charge, finding);
  logUndecided(deps.log, finding, { chargeId, chargeMethod: 'boleto', rail: rail.name });
  return 'postponed';
}

async function openChange(
  deps: Pick<ChangeDeps, 'db' | 'rails'>,
  charge: Charge,
): Promise<{ readonly open?: Open; readonly sentAt?: Date }> {
  const boleto = charge.methods.find(isOf('boleto'));
  if (charge.dueChange?.status !== 'PENDING' || boleto?.reference === undefined) return {};
  const { dueDays: calls } = railNamed(deps.rails, 'boleto', boleto.rail);
  if (!calls) return {};
  const { dueAt } = charge.dueChange;
  const { sentAt, code } = await findDueChangeSent(deps.db, charge);
  const asked = {
    present: paymentRequest(charge, 'boleto'),
    wanted: paymentRequest(withDueDate(charge, dueAt), 'boleto'),
    reference: boleto.reference,
    ...(boleto.bankId !== undefined && { bankId: boleto.bankId }),
    ...(code !== undefined && { code }),
  };
  return { open: { charge, dueAt, calls, asked }, ...(sentAt && { sentAt }) };
}

/** Looks the change up first, and sends it if the bank does not have it. */
async function look(deps: Deps, open: Open, sentAt: Date | undefined): Promise<DueDayFinding> {
  const { charge, dueAt, calls, asked } = open;
  const found = await calls.look(asked);
  if (found.kind !== 'unchanged') return found;
  const now = deps.clock.now();
  if (sentAt && now.getTime() - sentAt.getTime() < calls.shownAfterMs) return { kind: 'unknown' };
  // Another request, or another job for this one, was first.
  if (!(await markDueChangeSent(deps.db, charge, dueAt, sentAt, now))) return { kind: 'unknown' };
  const answer = await calls.ask(asked);
  // Nothing arrived, so the next try need not wait for the bank to show it.
  if (answer.kind === 'unavailable') await markDueChangeSent(deps.db, charge, dueAt, now, sentAt);
  if (answer.kind !== 'accepted' || answer.code === undefined) return answer;
  await storeDueChangeCode(deps.db, charge, dueAt, answer.code);
  return lookSoon(answer, () => calls.look({ ...asked, code: answer.code! }));
}

/** A bank often carries out a change a moment after accepting it. */
async function lookSoon(answer: DueDayFinding, again: () => Promise<DueDayFinding>): Promise<DueDayFinding> {
  for (const waitMs of SOON_MS) {
    await delay(waitMs);
    const finding = await again();
    if (finding.kind === 'changed' || finding.kind === 'rejected') return finding;
  }
  return answer;
}

const SOON_MS = [200, 500] as const;

type End = Extract<DueDayFinding, { readonly kind: 'changed' | 'rejected' }>;

/** Writes the bank's answer, if it is about the change that is still pending. */
async function end(deps: ChangeDeps, asked: Charge, finding: End): Promise<JobOutcome> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [asked.id]);
    const { dueChange } = charge ?? {};
    if (!charge || dueChange?.status !== 'PENDING') return 'done';
    if (dueChange.dueAt.getTime() !== asked.dueChange?.dueAt.getTime()) return 'postponed';
    const boleto = charge.methods.find(isOf('boleto'));
    const isOpen = boleto !== undefined && isPayable(boleto);
    if (finding.kind === 'changed' && isOpen) {
      await applyDueDate(deps, tx, charge, dueChange.dueAt, finding.instrument);
    } else await failDueChange(deps, tx, charge, finding.kind === 'rejected' ? finding.reason : ENDED);
    return 'done';
  });
}

/**
 * Called before a payment of a boleto is judged: the bank may have applied a pending change of the due day by now, and then the payer was
 * asked for the amount owed by that day. If the bank does not answer, the recorded day stays.
 */
export async function takeDueDay(deps: ChangeDeps, chargeId: string): Promise<void> {
  if (!(await isDueChangeOpen(deps.db, chargeId))) return;
  const charge = await findCharge(deps.db, chargeId);
  const boleto = charge?.methods.find(isOf('boleto'));
  if (!charge || !boleto || !isPayable(boleto)) return;
  const { open } = await openChange(deps, charge);
  const finding = await open?.calls.look(open.asked);
  if (finding?.kind === 'changed') await end(deps, charge, finding);
}
