// What orders declare: who may do what with them, their events, job, settings and place in the menu.
import type { Noun } from '../noun.ts';
import { FOLLOW_ORDER, orderFollower } from './charge-follower.ts';
import { ORDER_EVENT_TYPES } from './order.ts';
import { ORDER_SETTINGS, orderSettingsOf } from './order-settings.ts';
import { ORDER_LEDGER_CHECKS } from './store-ledger-check.ts';

export const orders = {
  tags: [{ name: 'Crypto transactions', description: 'Orders of crypto and their progress.' }],
  events: [{ types: ORDER_EVENT_TYPES, schema: 'Order', page: '/dashboard/orders' }],
  jobs: [FOLLOW_ORDER],
  followsCharges: orderFollower,
  ledgerChecks: ORDER_LEDGER_CHECKS,
  settings: { table: ORDER_SETTINGS, of: orderSettingsOf },
  sections: [{ name: 'orders', label: 'Orders', href: '/dashboard/orders' }],
  access: {
    ofOneAccount: {
      'GET /crypto/transactions': 'transactions:read',
      'POST /crypto/transactions': 'transactions:write',
      'GET /crypto/transactions/:id': 'transactions:read',
      'POST /crypto/transactions/:id/approve': 'payouts:approve',
      'POST /crypto/transactions/:id/cancel': 'transactions:write',
      'POST /crypto/transactions/:id/charge': 'transactions:write',
      'GET /crypto/transactions/:id/receipt': 'transactions:read',
      'POST /crypto/transactions/:id/reprice': 'transactions:write',
      'POST /crypto/transactions/:id/retry': 'transfers:write',
      'POST /crypto/transactions/:id/settle': 'transfers:write',
      'POST /crypto/transactions/:id/void': 'transfers:write',
      'GET /crypto/transactions/ended': 'transactions:read',
      'GET /crypto/transactions/held': 'transactions:read',

      '/dashboard/orders': 'transactions:read',
      '/dashboard/orders/:id': 'transactions:read',
      '/dashboard/orders/:id/approve': 'payouts:approve',
      '/dashboard/orders/:id/cancel': 'transactions:write',
      '/dashboard/orders/:id/charge': 'transactions:write',
      '/dashboard/orders/:id/reprice': 'transactions:write',
      '/dashboard/orders/:id/retry': 'transfers:write',
      '/dashboard/orders/:id/settle': 'transfers:write',
      '/dashboard/orders/:id/void': 'transfers:write',
      '/dashboard/orders/new': 'transactions:write',
      '/dashboard/orders/quote': 'quotes:write',
      '/dashboard/orders.csv': 'transactions:read',
    },
  },
} as const satisfies Noun;
