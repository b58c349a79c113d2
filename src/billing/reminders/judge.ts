// Decides, at the moment of sending, whether a reminder is still right. Pure.
import type { Charge, ChargeState } from '../../charges/charge.ts';
import { wasPaidUp } from '../../charges/life.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { outsideQuietHours } from './local-time.ts';
import { isTooLate, type Reminder, type SkipCause } from './reminder.ts';
import { followsEvents } from './rule.ts';
import type { ReminderSettings } from './settings.ts';

type Facts = {
  readonly charge: Charge | undefined;
  readonly settings: ReminderSettings;
  readonly isRuleOn: boolean;
  /** Whether the bank of the payer pays the charge by itself. */
  readonly isCollected: boolean;
  readonly isOptedOut: boolean;
  readonly hasAddress: boolean;
  /** Whether the service has a mail server. */
  readonly isMailOn: boolean;
};

type Verdict =
  | { readonly kind: 'skip'; readonly cause: SkipCause }
  | { readonly kind: 'wait'; readonly until: Date }
  /** `noMail`: why it cannot be sent by e-mail, where it should be. */
  | { readonly kind: 'send'; readonly noMail?: SkipCause };

/** A charge without a code yet is asked about again. */
const LOOK_AGAIN_MS = 10 * 60_000;

const ENDED: readonly ChargeState[] = ['CANCELED', 'EXPIRED', 'REFUNDED', 'FAILED'];

export function judge(reminder: Reminder, facts: Facts, now: Date): Verdict {
  const { charge, settings } = facts;
  if (!facts.isRuleOn) return skip('rule_off');
  if (!charge) return skip('charge_ended');
  const cause = reminder.occasion === 'paid' ? whyNotPaid(charge) : whyNotOpen(reminder, charge);
  if (cause) return skip(cause);
  // A payer who pays by the code in a mail while their bank pays too pays twice.
  if (facts.isCollected && reminder.occasion !== 'paid') return skip('collected');
  if (isTooLate(reminder, now)) return skip('too_late');
  if (facts.isOptedOut) return skip('opted_out');
  const until = outsideQuietHours(now, settings.quietHours);
  if (until > now) return { kind: 'wait', until };
  if (charge.state === 'CREATING') return { kind: 'wait', until: new Date(now.getTime() + LOOK_AGAIN_MS) };
  const noMail = reminder.channels.includes('email') ? whyNoMail(facts) : undefined;
  return { kind: 'send', ...(noMail && { noMail }) };
}

function whyNotPaid(charge: Charge): SkipCause | undefined {
  return wasPaidUp(charge) && charge.state !== 'REFUNDED' ? undefined : 'not_paid';
}

function whyNotOpen(reminder: Reminder, charge: Charge): SkipCause | undefined {
  if (charge.payments.length > 0) return 'paid';
  // The reminder says that it failed.
  const isFailed = reminder.occasion === 'failed' && charge.state === 'FAILED';
  if (ENDED.includes(charge.state) && !isFailed) return 'charge_ended';
  const isMoved = !followsEvents(reminder) && civilDay(charge.dueAt) !== reminder.dueDay;
  return isMoved ? 'due_day_changed' : undefined;
}

function whyNoMail({ isMailOn, hasAddress }: Facts): SkipCause | undefined {
  if (!isMailOn) return 'mail_off';
  return hasAddress ? undefined : 'no_address';
}

function skip(cause: SkipCause): Verdict {
  return { kind: 'skip', cause };
}
