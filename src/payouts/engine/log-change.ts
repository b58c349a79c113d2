// The log line of each outcome of a lookup, and its level.
import type { Log, LogFields } from '../../lib/log.ts';
import type { OwnerRecords, PayoutChange } from '../owner.ts';
import type { Payout } from '../payout.ts';
import type { PayoutNews } from './sighting.ts';

type LogNames = Pick<OwnerRecords, 'logFieldsOf'>;
type Deps = { readonly log: Log; readonly payoutOwner: LogNames };

const LINES: Record<PayoutNews['kind'], { readonly level: keyof Log; readonly text: string }> = {
  no_answer: { level: 'info', text: 'no node of the chain answers; the payout is looked up again' },
  stuck: { level: 'warn', text: 'the transfer is not being mined; a higher bid takes its slot, up to a limit' },
  exhausted: {
    level: 'error',
    text: 'the transfer is not being mined and no higher bid is made; an operator must look',
  },
  undone: { level: 'warn', text: 'a reorganisation removed a transfer that was done; the same bytes are sent again' },
  reverted: { level: 'error', text: 'the chain mined the transfer without effect; an operator must decide' },
  mismatched: {
    level: 'error',
    text: 'another amount or address received crypto than was asked for; nothing is sent again',
  },
  unsigned: { level: 'warn', text: 'no transfer is signed for the slot; lastError says why' },
  signable: { level: 'info', text: 'a transfer may be signed for the slot again' },
  voided: {
    level: 'warn',
    text: 'the slot is void and nothing moved; another slot is taken, or an operator must decide',
  },
  taken: {
    level: 'error',
    text: 'ALARM: the key is used elsewhere, it took the slot of a payout; the sender is halted',
  },
  done: { level: 'info', text: 'the transfer is deep enough; the payout is done' },
  in_progress: { level: 'debug', text: 'the transfer is on its way; it is looked up again' },
};

/** Alarms that are already known are not repeated at every lookup. */
export function logChange({ log, payoutOwner }: Deps, { before, after, news }: PayoutChange): void {
  if (news.kind === 'done' && before.state === 'done') return;
  if (news.kind === 'unsigned' && before.unsignedReason === news.reason) return;
  if (news.kind === 'taken' && before.lastSighting === 'taken') return;
  const { level, text } = LINES[news.kind];
  log[level](text, { ...logFieldsOf(payoutOwner, after), attempt: after.attempts.length });
}

/** The payout, its network and its owner, for a line of the log. */
export function logFieldsOf(owner: LogNames, { id: payoutId, ownerId, network }: Payout): LogFields {
  return { payoutId, ...(ownerId !== undefined && owner.logFieldsOf(ownerId)), network };
}
