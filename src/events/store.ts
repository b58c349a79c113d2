// The event log: each event is written in the transaction of the change that it reports.

import type { Sql } from '../storage/database.ts';

export type Event = {
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
