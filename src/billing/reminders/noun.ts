// What reminders declare: who may do what with them, their events, the kind of their job, and their place in the menu.
import type { Noun } from '../../noun.ts';
import { REMINDER_EVENT_EXAMPLES } from './event-examples.ts';
import { MAIL_SETTINGS, mailSettingsOf } from './mail-settings.ts';
import { REMINDER_EVENTS } from './reminder.ts';
import { SEND_REMINDER } from './send-job.ts';

export const reminders = {
  tags: [
    {
      name: 'Reminders',
      description: 'Payers are reminded of charges by rules: before, on and after the due day, and of payments.',
    },
  ],
  events: [{ types: REMINDER_EVENTS, schema: 'Reminder', examples: REMINDER_EVENT_EXAMPLES }],
  sections: [{ name: 'reminders', label: 'Reminders', href: '/dashboard/reminders' }],
  jobs: [SEND_REMINDER],
  settings: { table: MAIL_SETTINGS, of: mailSettingsOf },
  access: {
    ofOneAccount: {
      'GET /reminders': 'charges:read',
      'GET /reminders/:id': 'charges:read',
      'GET /charges/:id/reminders': 'charges:read',
      'GET /reminders/rules': 'settings:read',
      'POST /reminders/rules': 'settings:write',
      'GET /reminders/rules/:id': 'settings:read',
      'PATCH /reminders/rules/:id': 'settings:write',
      'DELETE /reminders/rules/:id': 'settings:write',
      'GET /accounts/:id/reminder-settings': 'settings:read',
      'PATCH /accounts/:id/reminder-settings': 'settings:write',

      '/dashboard/accounts/:id/reminders': 'settings:read',
      '/dashboard/accounts/:id/reminders/hours': 'settings:write',
      '/dashboard/accounts/:id/reminders/text': 'settings:write',
      '/dashboard/reminders': 'charges:read',
      '/dashboard/reminders/rules': 'settings:read',
      '/dashboard/reminders/rules/:id/change': 'settings:write',
      '/dashboard/reminders/rules/:id/remove': 'settings:write',
      '/dashboard/reminders/rules/new': 'settings:write',
      '/dashboard/reminders.csv': 'charges:read',
    },
    ofEveryone: ['GET /reminders/opt-out/:token', 'POST /reminders/opt-out/:token'],
  },
} as const satisfies Noun;
