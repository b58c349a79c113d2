// What mandates declare: who may do what with them, their events, the kinds of their jobs, and their place in the menu.
import type { Noun } from '../../noun.ts';
import { mandateFollower } from './charge-follower.ts';
import { COLLECTION_EVENTS } from './collection.ts';
import { COLLECTION_EVENT_EXAMPLES, MANDATE_EVENT_EXAMPLES } from './event-examples.ts';
import { MANDATE_JOBS } from './jobs.ts';
import { MANDATE_EVENTS } from './mandate.ts';

export const mandates = {
  tags: [
    {
      name: 'Mandates',
      description:
        'Pix Automático: a payer approves once, and their bank pays the charges that an account has collected.',
    },
  ],
  events: [
    { types: MANDATE_EVENTS, schema: 'Mandate', page: '/dashboard/mandates', examples: MANDATE_EVENT_EXAMPLES },
    { types: COLLECTION_EVENTS, schema: 'Collection', examples: COLLECTION_EVENT_EXAMPLES },
  ],
  sections: [{ name: 'mandates', label: 'Mandates', href: '/dashboard/mandates' }],
  jobs: MANDATE_JOBS,
  followsCharges: mandateFollower,
  access: {
    ofOneAccount: {
      'GET /mandates': 'charges:read',
      'POST /mandates': 'charges:write',
      'GET /mandates/:id': 'charges:read',
      'POST /mandates/:id/cancel': 'charges:write',
      'POST /mandates/:id/collections': 'charges:write',
      'POST /collections/:id/cancel': 'charges:write',

      '/dashboard/mandates': 'charges:read',
      '/dashboard/mandates/:id': 'charges:read',
      '/dashboard/mandates/:id/cancel': 'charges:write',
      '/dashboard/mandates/:id/collect': 'charges:write',
      '/dashboard/mandates/new': 'charges:write',
      '/dashboard/mandates.csv': 'charges:read',
      '/dashboard/collections/:id/cancel': 'charges:write',
    },
  },
} as const satisfies Noun;
