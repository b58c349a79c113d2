// Collects the job kinds of charges, which are declared beside what they do, and ties them to their handlers.
import { handleJob, type JobHandler } from '../jobs/job.ts';
import { changeDueDay } from './due-date/change-at-bank.ts';
import { CHANGE_DUE_DAY } from './due-date/due-day-job.ts';
import { type IssueDeps, issueCharges } from './issue/issue.ts';
import { ISSUE } from './issue/issue-job.ts';
import { RETIRE, retireMethod } from './issue/retire.ts';
import { WITHDRAW_REPEATS, withdrawRepeats } from './issue/withdraw-repeats.ts';
import { handleNotifications, NOTIFIED } from './receive/notifications.ts';
import type { ReceiptDeps } from './receive/receipts.ts';
import { followRemainder } from './receive/remainder.ts';
import { FOLLOW_REMAINDER } from './receive/remainder-job.ts';
import { RECONCILE, reconcileCharge } from './reconcile/reconcile.ts';
import { carryOutRefund, REFUND } from './refund/refund.ts';

export const CHARGE_JOBS = [
  ISSUE,
  RETIRE,
  WITHDRAW_REPEATS,
  CHANGE_DUE_DAY,
  RECONCILE,
  NOTIFIED,
  REFUND,
  FOLLOW_REMAINDER,
] as const;

export function chargeJobs(deps: IssueDeps & ReceiptDeps): JobHandler[] {
  return [
    handleJob(ISSUE, payload => issueCharges(deps, payload)),
    handleJob(RETIRE, payload => retireMethod(deps, payload)),
    handleJob(WITHDRAW_REPEATS, payload => withdrawRepeats(deps, payload)),
    handleJob(CHANGE_DUE_DAY, payload => changeDueDay(deps, payload)),
    handleJob(RECONCILE, payload => reconcileCharge(deps, payload)),
    handleJob(NOTIFIED, payload => handleNotifications(deps, payload)),
    handleJob(REFUND, payload => carryOutRefund(deps, payload)),
    handleJob(FOLLOW_REMAINDER, payload => followRemainder(deps, payload)),
  ];
}
