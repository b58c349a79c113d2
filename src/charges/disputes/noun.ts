// What disputes declare: who may do what with them, their events and their setting.
import type { Noun } from '../../noun.ts';
import { DISPUTE_EVENTS } from './dispute.ts';
import { DISPUTE_SETTINGS, disputeSettingsOf } from './dispute-settings.ts';

export const disputes = {
  tags: [{ name: 'Disputes', description: 'Payments whose money the bank of the payer asks for (MED).' }],
  events: [{ types: DISPUTE_EVENTS, schema: 'Dispute' }],
  settings: { table: DISPUTE_SETTINGS, of: disputeSettingsOf },
  access: {
    ofOneAccount: {
      'GET /disputes': 'charges:read',
      'GET /disputes/:id': 'charges:read',
      'PATCH /disputes/:id': 'refunds:write',
      'POST /disputes/:id/close': 'refunds:write',
    },
  },
} as const satisfies Noun;
