// What disputes declare: who may do what with them, their events, their setting, and their place in the menu.
import type { Noun } from '../../noun.ts';
import { DISPUTE_EVENTS } from './dispute.ts';
import { DISPUTE_SETTINGS, disputeSettingsOf } from './dispute-settings.ts';

export const disputes = {
  tags: [{ name: 'Disputes', description: 'Payments whose money the bank of the payer asks for (MED).' }],
  events: [{ types: DISPUTE_EVENTS, schema: 'Dispute', page: '/dashboard/disputes' }],
  settings: { table: DISPUTE_SETTINGS, of: disputeSettingsOf },
  sections: [{ name: 'disputes', label: 'Disputes', href: '/dashboard/disputes' }],
  access: {
    ofOneAccount: {
      'GET /disputes': 'charges:read',
      'GET /disputes/:id': 'charges:read',
      'PATCH /disputes/:id': 'refunds:write',
      'POST /disputes/:id/close': 'refunds:write',
      'POST /disputes/:id/evidence': 'refunds:write',
      'GET /disputes/:id/evidence/:evidenceId/content': 'charges:read',

      '/dashboard/disputes': 'charges:read',
      '/dashboard/disputes/:id': 'charges:read',
      '/dashboard/disputes/:id/change': 'refunds:write',
      '/dashboard/disputes/:id/close': 'refunds:write',
      '/dashboard/disputes/:id/evidence': 'refunds:write',
      '/dashboard/disputes/:id/upload': 'refunds:write',
      '/dashboard/disputes.csv': 'charges:read',
    },
  },
} as const satisfies Noun;
