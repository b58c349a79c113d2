// The module of events: the feed, its stream, and webhooks with their deliveries.
import { EVENT_SCHEMAS } from '../api/events.ts';
import { WEBHOOK_SCHEMAS } from '../api/webhooks.ts';
import { type EventStreamDeps, eventStreamRoutes } from '../http/routes/event-stream.ts';
import { eventRoutes } from '../http/routes/events.ts';
import { webhookDeliveryRoutes } from '../http/routes/webhook-deliveries.ts';
import { webhookRoutes } from '../http/routes/webhooks.ts';
import { shorterOf } from '../lib/settings/kept-for.ts';
import type { Module } from '../module.ts';
import { findOpenObjects } from '../orders/store-open.ts';
import type { StorageSettings } from '../storage/storage-settings.ts';
import { webhookPages } from '../web/dashboard/webhooks.ts';
import { type DeliverDeps, deliverDue } from './deliver.ts';
import { type DeliveringDeps, startDelivering } from './delivering.ts';
import type { EventSettings } from './event-settings.ts';
import { pruneDeliveries } from './prune-deliveries.ts';
import { pruneEvents } from './prune-events.ts';

type Deps = EventStreamDeps & DeliverDeps & DeliveringDeps & WebhookDeps;
type WebhookDeps = Parameters<typeof webhookRoutes>[1];
type Settings = Pick<EventSettings, 'keepEvents' | 'keepDeliveries'> & Pick<StorageSettings, 'archiveDir'>;

export function eventsModule(deps: Deps, { keepEvents, keepDeliveries, archiveDir: dir }: Settings): Module {
  // An event with deliveries cannot be removed, so deliveries are kept at most as long as events.
  const keep = dir === undefined ? keepDeliveries : shorterOf(keepDeliveries, keepEvents);
  // Events are records: without an archive they are never removed.
  const records = dir === undefined ? [] : [pruneEvents({ dir, findOpen: findOpenObjects }, keepEvents)];
  return {
    prunes: [pruneDeliveries(keep), ...records],
    background: [{ start: () => startDelivering(deps), runDue: () => deliverDue(deps) }],
    schemas: [...EVENT_SCHEMAS, ...WEBHOOK_SCHEMAS],
    routes: app => {
      eventRoutes(app, deps);
      eventStreamRoutes(app, deps);
      webhookRoutes(app, deps);
      webhookDeliveryRoutes(app, deps);
    },
    dashboard: webhookPages,
  };
}
