// The event log: what happened, written in the transaction that made it happen.
import { run, type Sql } from '../storage/database.ts';
import type { Statement } from '../storage/together.ts';

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

export async function insertEvents(tx: Sql, events: readonly Event[]): Promise<void> {
  await run(tx, eventsInsertion(events));
}

export function eventsInsertion(events: readonly Event[]): Statement {
  return {
    name: 'insert_events',
    text: `insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
           select * from rows from (
             unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::integer[], $6::timestamptz[]),
             jsonb_array_elements($7::jsonb))`,
    values: [
      events.map(event => event.id),
      events.map(event => event.accountId),
      events.map(event => event.type),
      events.map(event => event.objectId),
      events.map(event => event.sequence),
      events.map(event => event.occurredAt),
      JSON.stringify(events.map(event => event.object)),
    ],
  };
}
