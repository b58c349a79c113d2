// What subscriptions declare: who may do what with them, their events and jobs, and their place in the menu.

import type { Noun } from '../../noun.ts';
import { FOLLOW_SUBSCRIPTION, subscriptionFollower } from './charge-follower.ts';
import { SUBSCRIPTION_EVENTS } from './subscription.ts';

export const subscriptions = {
  tags: [{ name: 'Subscriptions', description: 'Customers who are charged by a plan, each cycle once.' }],
  events: [{ types: SUBSCRIPTION_EVENTS, schema: 'Subscription', page: '/dashboard/subscriptions' }],
  sections: [{ name: 'subscriptions', label: 'Subscriptions', href: '/dashboard/subscriptions' }],
  jobs: [FOLLOW_SUBSCRIPTION],
  followsCharges: subscriptionFollower,
  access: {
    ofOneAccount: {
      'GET /subscriptions': 'subscriptions:read',
      'POST /subscriptions': 'subscriptions:write',
      'GET /subscriptions/:id': 'subscriptions:read',
      'PATCH /subscriptions/:id': 'subscriptions:write',
      'POST /subscriptions/:id/cancel': 'subscriptions:write',
      'POST /subscriptions/:id/checkout/withdraw': 'subscriptions:write',
      'GET /subscriptions/:id/cycles': 'subscriptions:read',
      'POST /subscriptions/:id/cycles/:number/forgive': 'subscriptions:write',
      'POST /subscriptions/:id/pause': 'subscriptions:write',
      'POST /subscriptions/:id/resume': 'subscriptions:write',

      '/dashboard/plans': 'subscriptions:read',
      '/dashboard/subscriptions': 'subscriptions:read',
      '/dashboard/subscriptions/:id': 'subscriptions:read',
      '/dashboard/subscriptions/:id/cancel': 'subscriptions:write',
      '/dashboard/subscriptions/:id/change': 'subscriptions:write',
      '/dashboard/subscriptions/:id/cycles/:number/forgive': 'subscriptions:write',
      '/dashboard/subscriptions/:id/pause': 'subscriptions:write',
      '/dashboard/subscriptions/:id/resume': 'subscriptions:write',
      '/dashboard/subscriptions/:id/withdraw': 'subscriptions:write',
      '/dashboard/subscriptions/new': 'subscriptions:write',
      '/dashboard/subscriptions.csv': 'subscriptions:read',
    },
    ofEveryone: [
      'GET /my',
      'GET /my/*',
      'GET /my/:token',
      'GET /my/:token/logo',
      'POST /my/:token/keep',
      'POST /my/:token/stop',
    ],
  },
} as const satisfies Noun;
