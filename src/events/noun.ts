// What events and webhooks declare: who may do what with them, their settings, secrets and places in the menu.
import type { Noun } from '../noun.ts';
import { EVENT_SETTINGS, eventSettingsOf } from './event-settings.ts';
import { WEBHOOK_SECRETS } from './store-secrets.ts';

export const events = {
  tags: [
    { name: 'Events', description: 'What happened, in order: page by page or as a stream.' },
    { name: 'Webhooks', description: 'Addresses that events are sent to, and their deliveries.' },
  ],
  settings: { table: EVENT_SETTINGS, of: eventSettingsOf },
  secrets: [WEBHOOK_SECRETS],
  sections: [
    { name: 'webhooks', label: 'Webhooks', href: '/dashboard/webhooks' },
    { name: 'events', label: 'Events', href: '/dashboard/events' },
  ],
  access: {
    ofOneAccount: {
      'GET /events': 'events:read',
      'GET /events/:id': 'events:read',
      'GET /events/stream': 'events:read',
      'GET /webhooks': 'webhooks:read',
      'POST /webhooks': 'webhooks:write',
      'GET /webhooks/:id': 'webhooks:read',
      'PATCH /webhooks/:id': 'webhooks:write',
      'DELETE /webhooks/:id': 'webhooks:write',
      'GET /webhooks/:id/deliveries': 'webhooks:read',
      'POST /webhooks/:id/deliveries/:deliveryId/redeliver': 'webhooks:write',
      'POST /webhooks/:id/ping': 'webhooks:write',
      'POST /webhooks/:id/replay': 'webhooks:write',
      'POST /webhooks/:id/rotate-secret': 'webhooks:write',

      '/dashboard/events': 'events:read',
      '/dashboard/events/:id': 'events:read',
      '/dashboard/events.csv': 'events:read',
      '/dashboard/webhooks': 'webhooks:read',
      '/dashboard/webhooks/:id': 'webhooks:read',
      '/dashboard/webhooks/:id/change': 'webhooks:write',
      '/dashboard/webhooks/:id/delete': 'webhooks:write',
      '/dashboard/webhooks/:id/deliveries/:deliveryId/redeliver': 'webhooks:write',
      '/dashboard/webhooks/:id/disable': 'webhooks:write',
      '/dashboard/webhooks/:id/enable': 'webhooks:write',
      '/dashboard/webhooks/:id/ping': 'webhooks:write',
      '/dashboard/webhooks/:id/replay': 'webhooks:write',
      '/dashboard/webhooks/:id/rotate': 'webhooks:write',
      '/dashboard/webhooks/new': 'webhooks:write',
    },
  },
} as const satisfies Noun;
