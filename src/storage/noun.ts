// What the storage declares: who may read the audit log, and its place in the menu.
import type { Noun } from '../noun.ts';

export const auditLog = {
  sections: [{ name: 'audit', label: 'Audit log', href: '/dashboard/audit' }],
  access: {
    ofAllAccounts: {
      '/dashboard/audit': 'audit:read',
      '/dashboard/audit/proof': 'audit:read',
      '/dashboard/audit.csv': 'audit:read',
    },
  },
} as const satisfies Noun;
