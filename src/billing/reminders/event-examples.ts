// An event of each type: most need a mail server.
import { REMINDER_EVENTS, type ReminderEvent, type ReminderStatus } from './reminder.ts';

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

const CHECKOUT_URL = 'https://pay.example.com/pay/AZqLXjxwfSqfQWsMXY4qFwCq8oP1d0mXn2nqYJcVQ0g';

const SHOWN: Readonly<Record<ReminderEvent, { readonly status: ReminderStatus; readonly [field: string]: unknown }>> = {
  'reminder.due': { status: 'WAITING', attempts: 0, checkoutUrl: CHECKOUT_URL },
  'reminder.sent': { status: 'SENT' },
  'reminder.failed': { status: 'FAILED', cause: '550 5.1.1' },
  'reminder.unknown': { status: 'UNKNOWN', cause: 'service_stopped' },
};

export const REMINDER_EVENT_EXAMPLES = Object.fromEntries(
  REMINDER_EVENTS.map(type => {
    const { id, accountId, updatedAt: occurredAt } = REMINDER;
    const object = { ...REMINDER, ...SHOWN[type] };
    return [type, { id, type, occurredAt, accountId, objectId: id, sequence: type === 'reminder.due' ? 1 : 2, object }];
  }),
);
