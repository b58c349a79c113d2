// What events give the service: the feed, its stream, and webhooks with their deliveries.
import type { Config } from '../config/config.ts';
import { shorterOf } from '../config/retention-settings.ts';
import { type EventStreamDeps, eventStreamRoutes } from '../http/routes/event-stream.ts';
import { eventRoutes } from '../http/routes/events.ts';
import { webhookDeliveryRoutes } from '../http/routes/webhook-deliveries.ts';
import { webhookRoutes } from '../http/routes/webhooks.ts';
import type { Module } from '../module.ts';
import { findOpenObjects } from '../orders/store-open.ts';
import { webhookPages } from '../web/dashboard/webhooks.ts';
import { type DeliverDeps, deliverDue } from './deliver.ts';
import { type DeliveringDeps, startDelivering } from './delivering.ts';
import { pruneDeliveries } from './prune-deliveries.ts';
import { pruneEvents } from './prune-events.ts';

type Deps = EventStreamDeps & DeliverDeps & DeliveringDeps & WebhookDeps;
type WebhookDeps = Parameters<typeof webhookRoutes>[1];
type Settings = Pick<Config, 'retention' | 'archiveDir'>;

export function eventsModule(deps: Deps, { retention, archiveDir: dir }: Settings): Module {
  const { events, deliveries } = retention;
  // An event that has deliveries stays, so these are kept for as long as events at most.
  const keepDeliveries = dir === undefined ? deliveries : shorterOf(deliveries, events);
  // Events are records: without an archive they stay.
  const records = dir === undefined ? [] : [pruneEvents({ dir, findOpen: findOpenObjects }, events)];
  return {
    prunes: [pruneDeliveries(keepDeliveries), ...records],
    background: [{ start: () => startDelivering(deps), runDue: () => deliverDue(deps) }],
    routes: app => {
      eventRoutes(app, deps);
      eventStreamRoutes(app, deps);
      webhookRoutes(app, deps);
      webhookDeliveryRoutes(app, deps);
    },
    dashboard: webhookPages,
  };
}
