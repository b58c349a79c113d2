// The event log: each event is written in the transaction of the change that it reports.

import { uuidV7 } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';

type Event = {
  readonly id: string;
  readonly accountId: string;
  readonly type: string;
  readonly objectId: string;
  /** Counts the events of one object from 1. */
  readonly sequence: number;
  readonly occurredAt: Date;
  /** The object as the API shows it. */
  readonly object: object;
};

/** An event that carries an object as it is now. */
export function objectEvent(
  object: { readonly id: string; readonly accountId: string; readonly eventCount: number },
  type: string,
  at: Date,
  shown: object,
): Event {
  const { id, accountId, eventCount } = object;
  return { id: uuidV7(at), accountId, type, objectId: id, sequence: eventCount, occurredAt: at, object: shown };
}

/** The channel that waiters for events listen on. */
export const EVENTS_CHANNEL = 'events';

export async function insertEvents(tx: Sql, events: readonly Event[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query(
    `insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
     select * from rows from (
       unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::integer[], $6::timestamptz[]),
       jsonb_array_elements($7::jsonb))`,
    [
      events.map(event => event.id),
      events.map(event => event.accountId),
      events.map(event => event.type),
      events.map(event => event.objectId),
      events.map(event => event.sequence),
      events.map(event => event.occurredAt),
      JSON.stringify(events.map(event => event.object)),
    ],
    { name: 'insert_events' },
  );
  tx.notify?.(EVENTS_CHANNEL);
}
