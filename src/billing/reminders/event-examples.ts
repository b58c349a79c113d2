// An event of each type that needs a mail server, which a sandbox may lack: they cannot be recorded there.
import type { ReminderEvent, ReminderStatus } from './reminder.ts';

const REMINDER = {
  id: '019a8b5e-3d10-7c11-9a02-1c2d3e4f5a70',
  accountId: 'acme',
  chargeId: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
  when: 'before',
  days: 3,
  dueDay: '2026-12-10',
  channels: ['email', 'event'],
  attempts: 1,
  amountCents: 15_990,
  scheduledAt: '2026-12-07T12:00:00.000Z',
  createdAt: '2026-12-07T12:00:00.000Z',
  updatedAt: '2026-12-07T12:00:02.000Z',
};

type Outcome = { readonly status: ReminderStatus; readonly cause?: string };

const OUTCOMES: Readonly<Record<Exclude<ReminderEvent, 'reminder.due'>, Outcome>> = {
  'reminder.sent': { status: 'SENT' },
  'reminder.failed': { status: 'FAILED', cause: '550 5.1.1' },
  'reminder.unknown': { status: 'UNKNOWN', cause: 'service_stopped' },
};

export const REMINDER_EVENT_EXAMPLES = Object.fromEntries(
  Object.entries(OUTCOMES).map(([type, outcome]) => {
    const { id, accountId, updatedAt: occurredAt } = REMINDER;
    const object = { ...REMINDER, ...outcome };
    return [type, { id, type, occurredAt, accountId, objectId: id, sequence: 2, object }];
  }),
);
