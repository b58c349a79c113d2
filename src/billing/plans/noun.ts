// What plans declare: who may do what with them, and their events.
import type { Noun } from '../../noun.ts';
import { PLAN_EVENTS } from './plan.ts';

export const plans = {
  tags: [
    {
      name: 'Plans',
      description: 'What subscriptions are charged, how often, and what happens when a charge stays unpaid.',
    },
  ],
  events: [{ types: PLAN_EVENTS, schema: 'Plan' }],
  access: {
    ofOneAccount: {
      'GET /plans': 'subscriptions:read',
      'POST /plans': 'subscriptions:write',
      'GET /plans/:id': 'subscriptions:read',
      'PATCH /plans/:id': 'subscriptions:write',

      '/dashboard/plans/:id/change': 'subscriptions:write',
      '/dashboard/plans/new': 'subscriptions:write',
    },
  },
} as const satisfies Noun;
