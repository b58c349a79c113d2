// The SQL that moves old events to the archive: the block to move, and which of its events may be removed.
import { BLOCK_SIZE } from '../storage/archive/block.ts';
import type { Sql } from '../storage/database.ts';
import { EVENT_JSON, MARK } from './store-feed.ts';

export type OldEvent = {
  readonly position: number;
  readonly objectId: string;
  readonly occurredAt: Date;
  /** In the form of the archive. */
  readonly json: string;
};

type Range = { readonly after: number; readonly upTo: number };

/** Whether the last event of a range is old, all have their deliveries, and no replay under way may need one. */
export async function isRangeOver(sql: Sql, { after, upTo }: Range, before: Date): Promise<boolean> {
  const [row] = await sql.query<{ is_over: boolean }>(
    `select exists (select from event_positions p
                      join events e on e.id = p.event_id and e.account_id = p.account_id
                     where p.position = $2 and e.occurred_at < $3)
        and exists (select from event_readers where name = 'webhooks' and position >= $2)
        and not exists (select from webhook_replays where done < $2 and until > $1) as is_over`,
    [after, upTo, before],
  );
  return row!.is_over;
}

/** The events of a range. `forUpdate`: locked until the transaction ends, skipping those that another one has locked. */
export async function readOldEvents(sql: Sql, { after, upTo }: Range, forUpdate = false): Promise<OldEvent[]> {
  const rows = await sql.query<{
    position: string;
    object_id: string;
    occurred_at: Date;
    json: string;
  }>(
    `select p.position, p.object_id, e.occurred_at, ${EVENT_JSON} as json
       from event_positions p join events e on e.id = p.event_id and e.account_id = p.account_id
      where p.position > $1 and p.position <= $2
      order by p.position ${forUpdate ? 'for update of e skip locked' : ''}`,
    [after, upTo],
  );
  return rows.map(row => ({
    position: Number(row.position),
    objectId: row.object_id,
    occurredAt: row.occurred_at,
    // PostgreSQL wrote the JSON, so that decimals stay exact; the position is put in front.
    json: `{"position":${row.position},${row.json.slice(1)}`,
  }));
}

/** Events that are archived and still stored here, in order, after a position. */
export async function readMovedEvents(sql: Sql, after: number, cut: number, limit: number) {
  const rows = await sql.query<{ position: string; object_id: string }>(
    `select position, object_id from event_positions where position > $1 and position <= $2
      order by position limit $3`,
    [after, cut, limit],
  );
  return rows.map(row => ({ position: Number(row.position), objectId: row.object_id }));
}

/** Removes events, except those with a delivery or that a replay will deliver. Returns how many. */
export async function deleteEvents(tx: Sql, positions: readonly number[]): Promise<number> {
  const [row] = await tx.query<{ events: string }>(
    `with old as materialized (
       select p.position, p.event_id, p.account_id, ${MARK} as mark from event_positions p
        where p.position = any($1)
          and not exists (select from webhook_deliveries d where d.event_id = p.event_id and d.account_id = p.account_id)
          and not exists (select from webhook_replays r where r.done < p.position and r.until >= p.position)
     ), positions as (
       delete from event_positions p using old where p.position = old.position
     ), gone as (
       delete from events e using old where e.id = old.event_id and e.account_id = old.account_id returning e.id
     ), removed as (
       insert into removed_events (account_id, position, mark)
       select distinct on (account_id) account_id, position, mark from old order by account_id, position desc
       on conflict (account_id) do update set position = excluded.position, mark = excluded.mark
        where removed_events.position < excluded.position
     )
     select count(*) as events from gone`,
    [positions],
  );
  return Number(row!.events);
}

/** When the oldest event that may be archived happened; events of an incomplete block must stay for now. */
export async function findOldestEventAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ occurred_at: Date }>(
    `with whole as materialized (
       select coalesce(p.position, c.position) as last from archive_cuts c
         left join event_positions p on p.position = c.position + ${BLOCK_SIZE} where c.kind = 'events'
     ), first as materialized (
       select event_id, account_id from event_positions
        where position <= (select last from whole) order by position limit 1
     )
     select e.occurred_at from first f join events e on e.id = f.event_id and e.account_id = f.account_id`,
  );
  return row?.occurred_at;
}
