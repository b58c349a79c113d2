// The settings of payouts as rules, for every check before crypto leaves.
import { type ApprovalRules, openApprovalRules } from '../../accounts/approval-rules.ts';
import type { Mode } from '../../lib/mode.ts';
import { OPERATOR_ACCOUNT } from '../own-transfers/cold-rules.ts';
import type { UnsignedSlots } from '../payout.ts';
import type { PayoutSettings } from '../payout-settings.ts';
import { type AlarmRules, openAlarmRules } from '../watch/judge-network.ts';
import { openLimits, type PayoutLimits } from './limits.ts';

type PayoutPolicy = {
  readonly payoutLimits: PayoutLimits;
  readonly alarmRules: AlarmRules;
  readonly approvalRules: ApprovalRules;
  /** The account of payouts without an owner. */
  readonly operatorAccountId: string;
  readonly unsignedSlots: UnsignedSlots | undefined;
};

type Settings = { readonly payouts: PayoutSettings; readonly mode: Mode };

/** Throws a StartError that names every fault. */
export function openPayoutPolicy({ payouts, mode }: Settings): PayoutPolicy {
  const { limits = [], accountId = OPERATOR_ACCOUNT, unsignedSlots } = payouts;
  return {
    payoutLimits: openLimits(limits, mode),
    alarmRules: openAlarmRules(payouts),
    approvalRules: openApprovalRules(payouts.approvals),
    operatorAccountId: accountId,
    unsignedSlots,
  };
}
