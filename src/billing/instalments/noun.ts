// What instalments declare: who may do what with them, their events, their job, and their place in the menu.
import type { Noun } from '../../noun.ts';
import { FOLLOW_INSTALMENT_PLAN, instalmentFollower } from './charge-follower.ts';
import { INSTALMENT_EVENTS } from './instalment-plan.ts';

export const instalments = {
  tags: [{ name: 'Instalments', description: 'One sum asked for in several charges, one a month: «carnê».' }],
  events: [{ types: INSTALMENT_EVENTS, schema: 'InstalmentPlan', page: '/dashboard/instalments' }],
  sections: [{ name: 'instalments', label: 'Instalments', href: '/dashboard/instalments' }],
  jobs: [FOLLOW_INSTALMENT_PLAN],
  followsCharges: instalmentFollower,
  access: {
    ofOneAccount: {
      'GET /instalments': 'charges:read',
      'POST /instalments': 'charges:write',
      'GET /instalments/:id': 'charges:read',
      'GET /instalments/:id/slips.pdf': 'charges:read',
      'POST /instalments/:id/cancel': 'charges:write',
      'POST /instalments/:id/checkout/withdraw': 'charges:write',
      'POST /instalments/:id/refund': 'refunds:write',

      '/dashboard/instalments': 'charges:read',
      '/dashboard/instalments/:id': 'charges:read',
      '/dashboard/instalments/:id/cancel': 'charges:write',
      '/dashboard/instalments/:id/refund': 'refunds:write',
      '/dashboard/instalments/:id/withdraw': 'charges:write',
      '/dashboard/instalments/new': 'charges:write',
      '/dashboard/instalments.csv': 'charges:read',
    },
    ofEveryone: ['GET /pay/instalments/:token', 'GET /pay/instalments/:token/slips.pdf'],
  },
} as const satisfies Noun;
