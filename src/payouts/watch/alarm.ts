// Alarms: what operators should look at. Each is judged on or off, and stays as it is while nothing is known.
import type { Network } from '../../chains/asset.ts';

/** docs/payouts.md explains each reason. */
export const ALARM_REASONS = [
  'low_funds',
  'above_ceiling',
  'network_silent',
  'orders_waiting',
  'payout_stuck',
  'payout_contradicted',
  'finality_lag',
  'fee_too_high',
  'slot_taken',
  'slot_unsigned',
  'nonce_gap',
] as const;
export type AlarmReason = (typeof ALARM_REASONS)[number];

/** Whether it is judged from answers of nodes, not from the database. */
export function isToldByNodes(reason: AlarmReason): boolean {
  return ['low_funds', 'above_ceiling', 'finality_lag', 'nonce_gap'].includes(reason);
}

export const ALARM_EVENT_TYPES = ['payout.alarm_raised', 'payout.alarm_cleared'] as const;

export type Alarm = {
  readonly id: string;
  readonly reason: AlarmReason;
  readonly network: Network;
  /** The asset, coin, sender or payout that it concerns; empty when it concerns the network. */
  readonly subject: string;
  readonly words: string;
  readonly raisedAt: Date;
  readonly clearedAt?: Date;
};

export type Judgement = {
  readonly reason: AlarmReason;
  readonly subject: string;
  /** `unknown`: no node answered, so the alarm stays as it is. */
  readonly state: 'on' | 'off' | 'unknown';
  readonly words: string;
};

/** The alarms to raise and to clear. An alarm that no rule judges any more is cleared. */
export function changesOf(
  open: readonly Alarm[],
  judgements: readonly Judgement[],
): { readonly raised: readonly Judgement[]; readonly cleared: readonly Alarm[] } {
  const isAbout = (alarm: Alarm, { reason, subject }: Judgement) =>
    alarm.reason === reason && alarm.subject === subject;
  return {
    raised: judgements.filter(one => one.state === 'on' && !open.some(alarm => isAbout(alarm, one))),
    cleared: open.filter(alarm => (judgements.find(one => isAbout(alarm, one))?.state ?? 'off') === 'off'),
  };
}

export function alarmView({ id, reason, network, subject, words, raisedAt, clearedAt }: Alarm) {
  return {
    id,
    reason,
    network,
    ...(subject !== '' && { subject }),
    words,
    raisedAt: raisedAt.toISOString(),
    ...(clearedAt && { clearedAt: clearedAt.toISOString() }),
  };
}
