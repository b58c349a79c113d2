// What the ledger declares: its access rules and menu entry.
import type { Noun } from '../noun.ts';

export const ledger = {
  tags: [{ name: 'Ledger', description: 'Every movement of money and crypto, and the balances.' }],
  sections: [{ name: 'ledger', label: 'Ledger', href: '/dashboard/ledger' }],
  access: {
    ofOneAccount: {
      'GET /ledger/balances': 'ledger:read',
      'GET /ledger/entries': 'ledger:read',

      '/dashboard/ledger': 'ledger:read',
      '/dashboard/ledger.csv': 'ledger:read',
    },
    ofAllAccounts: {
      '/dashboard/ledger/proof': 'audit:read',
    },
  },
} as const satisfies Noun;
