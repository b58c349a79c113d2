// The settings of events and webhooks.
import { type AllowedPlace, parseAllowedPlace } from '../lib/outgoing-allow.ts';
import { keptFor } from '../lib/settings/kept-for.ts';
import { type Kind, wholeNumber } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';

/** A fifth of what one node sends at a time, so that a single webhook never takes all its capacity. */
const MAX_WEBHOOK_CONCURRENCY = 1_000;

const allowedPlaces: Kind<readonly AllowedPlace[]> = {
  description: 'a list such as 10.0.0.0/8,fd00::/8,10.0.0.5:8080,receiver.internal:8080',
  parse: given => {
    const entries = given
      .split(',')
      .map(entry => entry.trim())
      .filter(Boolean);
    const read = entries.map(entry => ({ entry, place: parseAllowedPlace(entry) }));
    const wrong = read.filter(({ place }) => place === undefined);
    if (wrong.length === 0) return { value: read.flatMap(({ place }) => place ?? []) };
    return { wrong: wrong.map(({ entry }) => ({ message: `must be ${allowedPlaces.description}`, quote: entry })) };
  },
};

export const EVENT_SETTINGS = [
  {
    name: 'TRILHO_KEEP_EVENTS',
    kind: keptFor,
    default: 'P5Y',
    meaning:
      'How long events stay in the database, in the feed and for webhooks, before they are moved to TRILHO_ARCHIVE_DIR.',
  },
  {
    name: 'TRILHO_KEEP_DELIVERIES',
    kind: keptFor,
    default: 'P90D',
    meaning:
      'How long deliveries to webhooks are kept, with their attempts, after they were delivered or given up. Where events are moved to TRILHO_ARCHIVE_DIR, at most as long as TRILHO_KEEP_EVENTS.',
  },
  {
    name: 'TRILHO_WEBHOOK_CONCURRENCY',
    kind: wholeNumber(1, MAX_WEBHOOK_CONCURRENCY),
    default: '100',
    meaning:
      'How many events are sent to one webhook at the same time, each of another charge or order, by all nodes together. A failing webhook gets one at a time.',
  },
  {
    name: 'TRILHO_WEBHOOK_ALLOW',
    kind: allowedPlaces,
    meaning:
      'Private places that webhooks may reach, by plain http too: networks, addresses with or without a port, names with a port. Not set: public addresses by https only, and in a sandbox its own machine.',
  },
] as const satisfies readonly Setting[];

export type EventSettings = Readonly<ReturnType<typeof eventSettingsOf>>;

export function eventSettingsOf(values: ValuesOf<typeof EVENT_SETTINGS>) {
  return {
    keepEvents: values.TRILHO_KEEP_EVENTS,
    keepDeliveries: values.TRILHO_KEEP_DELIVERIES,
    webhookConcurrency: values.TRILHO_WEBHOOK_CONCURRENCY,
    webhookAllow: values.TRILHO_WEBHOOK_ALLOW ?? [],
  };
}
