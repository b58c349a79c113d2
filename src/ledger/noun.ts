// What the ledger declares: who may read it, and its place in the menu.
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
