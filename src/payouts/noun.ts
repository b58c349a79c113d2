// What payouts declare: their access rules, events, jobs, settings, secrets and menu entry.
import type { Noun } from '../noun.ts';
import { PAYOUT_JOBS } from './jobs.ts';
import { PAYOUT_SETTINGS, payoutSettingsOf } from './payout-settings.ts';
import { OWN_TRANSFER_LEDGER_CHECKS } from './store/ledger-check.ts';
import { RECEIPT_SECRETS } from './store/receipt-keys.ts';
import { ALARM_EVENT_TYPES } from './watch/alarm.ts';

export const payouts = {
  events: [{ types: ALARM_EVENT_TYPES, schema: 'Alarm' }],
  jobs: PAYOUT_JOBS,
  settings: { table: PAYOUT_SETTINGS, of: payoutSettingsOf },
  secrets: [RECEIPT_SECRETS],
  ledgerChecks: OWN_TRANSFER_LEDGER_CHECKS,
  sections: [{ name: 'payouts', label: 'Payouts', href: '/dashboard/payouts' }],
  access: {
    ofOneAccount: {
      'GET /payouts': 'payouts:read',
      'GET /payouts/:id': 'payouts:read',
      'GET /payouts/:id/receipt': 'payouts:read',
      'POST /payouts/:id/void': 'transfers:write',

      '/dashboard/payouts': 'payouts:read',
      '/dashboard/payouts/:id': 'payouts:read',
      '/dashboard/payouts/:id/void': 'transfers:write',
      '/dashboard/payouts.csv': 'payouts:read',
    },
    ofAllAccounts: {
      'GET /chains': 'payouts:read',
      'GET /payouts/alarms': 'payouts:read',
      'POST /payouts/pause': 'payouts:write',
      'GET /payouts/pauses': 'payouts:read',
      'POST /payouts/resume': 'payouts:write',
      'POST /payouts/senders/fill-gap': 'transfers:write',
      'GET /payouts/senders/halted': 'payouts:read',
      'POST /payouts/senders/resume': 'payouts:write',
      'POST /payouts/sweep': 'payouts:sweep',
      'GET /payouts/top-ups': 'payouts:read',
      'POST /payouts/top-ups': 'payouts:write',
      'GET /payouts/top-ups/:id': 'payouts:read',
      'POST /payouts/top-ups/:id/approve': 'payouts:approve',

      '/dashboard/payouts/pause': 'payouts:write',
      '/dashboard/payouts/resume': 'payouts:write',
      '/dashboard/payouts/senders/fill-gap': 'transfers:write',
      '/dashboard/payouts/senders/resume': 'payouts:write',
      '/dashboard/payouts/sweep': 'payouts:sweep',
      '/dashboard/payouts/top-up': 'payouts:write',
      '/dashboard/payouts/top-ups': 'payouts:read',
      '/dashboard/payouts/top-ups/:id/approve': 'payouts:approve',
    },
    ofEveryone: ['GET /receipts/keys'],
  },
} as const satisfies Noun;
