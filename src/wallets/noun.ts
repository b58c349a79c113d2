// What wallets declare: their access rules, settings and menu entry.
import type { Noun } from '../noun.ts';
import { WALLET_SETTINGS, walletSettingsOf } from './wallet-settings.ts';

export const wallets = {
  tags: [{ name: 'Wallets', description: 'Addresses that crypto is sent to.' }],
  settings: { table: WALLET_SETTINGS, of: walletSettingsOf },
  sections: [{ name: 'wallets', label: 'Wallets', href: '/dashboard/wallets' }],
  access: {
    ofOneAccount: {
      'GET /wallets': 'wallets:read',
      'POST /wallets': 'wallets:write',
      'GET /wallets/:id': 'wallets:read',
      'DELETE /wallets/:id': 'wallets:write',
      'POST /wallets/:id/approve': 'wallets:approve',
      'POST /wallets/:id/challenge': 'wallets:write',
      'POST /wallets/:id/declaration': 'wallets:write',
      'POST /wallets/:id/proof': 'wallets:write',

      '/dashboard/wallets': 'wallets:read',
      '/dashboard/wallets/:id': 'wallets:read',
      '/dashboard/wallets/:id/approve': 'wallets:approve',
      '/dashboard/wallets/:id/challenge': 'wallets:write',
      '/dashboard/wallets/:id/declare': 'wallets:write',
      '/dashboard/wallets/:id/prove': 'wallets:write',
      '/dashboard/wallets/:id/remove': 'wallets:write',
      '/dashboard/wallets/new': 'wallets:write',
    },
  },
} as const satisfies Noun;
