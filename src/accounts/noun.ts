// What accounts, keys and people declare: their access rules, settings and menu entries.
import type { Noun } from '../noun.ts';
import { IDEMPOTENCY_SETTINGS, idempotencySettingsOf } from './idempotency-settings.ts';

export const accounts = {
  tags: [
    { name: 'Accounts', description: 'What payers see of an account.' },
    { name: 'Accounts and keys', description: 'Whose charges these are, and which programs may call.' },
    { name: 'People', description: 'Who may log in to the dashboard.' },
  ],
  settings: { table: IDEMPOTENCY_SETTINGS, of: idempotencySettingsOf },
  sections: [
    { name: 'accounts', label: 'Accounts', href: '/dashboard/accounts' },
    { name: 'keys', label: 'Keys', href: '/dashboard/keys' },
    { name: 'people', label: 'People', href: '/dashboard/people' },
  ],
  access: {
    ofOneAccount: {
      'GET /accounts': 'accounts:read',
      'GET /accounts/:id/settings': 'settings:read',
      'PATCH /accounts/:id/settings': 'settings:write',
      'GET /keys': 'keys:read',
      'POST /keys': 'keys:write',
      'DELETE /keys/:id': 'keys:write',
      'GET /people': 'people:read',
      'POST /people': 'people:write',
      'PATCH /people/:id': 'people:write',
      'DELETE /people/:id': 'people:write',
      'POST /people/:id/login-link': 'people:write',
      'POST /people/:id/login-link/approve': 'people:write',
      'POST /people/:id/login-link/refuse': 'people:write',

      '/dashboard/accounts': 'settings:read',
      '/dashboard/accounts/:id/settings': 'settings:write',
      '/dashboard/keys': 'keys:read',
      '/dashboard/keys/:id/revoke': 'keys:write',
      '/dashboard/keys/new': 'keys:write',
      '/dashboard/people': 'people:read',
      '/dashboard/people/:id/link': 'people:write',
      '/dashboard/people/:id/link/approve': 'people:write',
      '/dashboard/people/:id/link/refuse': 'people:write',
      '/dashboard/people/:id/remove': 'people:write',
      '/dashboard/people/:id/role': 'people:write',
      '/dashboard/people/invite': 'people:write',
    },
    ofAllAccounts: {
      'POST /accounts': 'accounts:write',

      '/dashboard/accounts/new': 'accounts:write',
    },
    ofAPerson: [
      '/dashboard/confirm',
      '/dashboard/confirm/options',
      '/dashboard/logout',
      '/dashboard/me',
      '/dashboard/me/notices/seen',
      '/dashboard/me/passkeys',
      '/dashboard/me/passkeys/options',
      '/dashboard/me/passkeys/remove',
      '/dashboard/me/recovery-codes',
      '/dashboard/me/sessions/end',
    ],
    ofEveryone: ['/dashboard/enter/:token', '/dashboard/login', '/dashboard/login/options', '/dashboard/recover'],
  },
} as const satisfies Noun;
