// The SQL of the feed: the position of each event, and reading by it. PostgreSQL writes the JSON, so that a decimal reaches the wire as it
// is stored.
import type { Database, Sql } from '../storage/database.ts';

/** An event as the API shows it, as JSON. `e` is a row of `events`. */
export const EVENT_JSON = `json_build_object(
  'id', e.id, 'type', e.type, 'occurredAt', iso_utc(e.occurred_at), 'accountId', e.account_id, 'objectId', e.object_id,
  'sequence', e.sequence, 'object', e.object)::text`;

export type FeedFilter = {
  readonly type?: string;
  readonly accountId?: string;
  readonly objectId?: string;
};

/**
 * A position in the feed. After a restore, the same number may belong to another event; the mark, taken from the id of the event,
 * distinguishes the two.
 */
export type FeedPosition = { readonly position: bigint; readonly mark: string };
export type FeedEvent = FeedPosition & { readonly json: string };

const BATCH_SIZE = 5_000;
/** The end of a UUIDv7 is random. */
export const MARK = `right(p.event_id::text, 12)`;

/** Gives every committed event its position. Cheap when all events have one. */
export async function assignPositions(db: Database): Promise<void> {
  const [waiting] = await db.query<{ any: boolean }>('select exists (select from unpositioned_events) as any');
  if (!waiting!.any) return;
  // Events that commit meanwhile wait for the next call; otherwise the loop would never end under load.
  while ((await db.transaction(assignBatch)) >= BATCH_SIZE);
}

/**
 * Locks the row of the feed until the commit, so that positions become visible in order. Events get positions in the order they were
 * written; a transaction locks an object before it changes it, so events of one object follow their sequence. Returns how many events
 * got one.
 */
async function assignBatch(tx: Sql): Promise<number> {
  await tx.query('select from event_feed for update');
  const [assigned] = await tx.query<{ count: string }>(
    `with taken as (
       -- Not «in»: the planner takes the table for empty and would scan the subquery once for each row.
       delete from unpositioned_events
        where number <= (select max(number) from (select number from unpositioned_events order by number limit $1) batch)
       returning *
     ), assigned as (
       insert into event_positions (position, event_id, account_id, type, object_id)
       select f.position + row_number() over (order by number), event_id, account_id, type, object_id
         from taken, event_feed f
     )
     update event_feed f set position = f.position + t.count from (select count(*) from taken) t returning t.count`,
    [BATCH_SIZE],
  );
  return Number(assigned!.count);
}

/** The last event of the feed; position 0 when the feed is empty. */
export async function findHead(sql: Sql): Promise<FeedPosition> {
  const [row] = await sql.query<PositionRow>(
    `select f.position, coalesce((select ${MARK} from event_positions p where p.position = f.position),
                                 (select mark from removed_events where position = f.position), '') as mark
       from event_feed f`,
  );
  return toPosition(row!);
}

/** The last event of one account up to a position, even if archived; undefined when it has no event. */
export async function findLastOf(sql: Sql, accountId: string, upTo: bigint): Promise<FeedPosition | undefined> {
  const [row] = await sql.query<PositionRow>(
    `select p.position, ${MARK} as mark from event_positions p
      where p.account_id = $1 and p.position <= $2 order by p.position desc limit 1`,
    [accountId, upTo],
  );
  const removed = await findRemoved(sql, accountId);
  const last = row && toPosition(row);
  return last && last.position > (removed?.position ?? 0n) ? last : removed;
}

/** The key of cursors, and the last position that a cursor of 0.2.0 can have. */
export async function readCursorSettings(sql: Sql): Promise<{ key: Buffer; plainUpTo: bigint }> {
  const [row] = await sql.query<{ key: Buffer; plain_upto: string }>('select key, plain_upto from event_cursors');
  return { key: row!.key, plainUpTo: BigInt(row!.plain_upto) };
}

export async function findPosition(sql: Sql, position: bigint): Promise<FeedPosition | undefined> {
  const [row] = await sql.query<PositionRow>(
    `select p.position, ${MARK} as mark from event_positions p where p.position = $1`,
    [position],
  );
  return row && toPosition(row);
}

/** The last event that was archived and removed: of an account, or of all. */
export async function findRemoved(sql: Sql, accountId: string | undefined): Promise<FeedPosition | undefined> {
  const [row] = await sql.query<PositionRow>(
    accountId === undefined
      ? 'select position, mark from removed_events order by position desc limit 1'
      : 'select position, mark from removed_events where account_id = $1',
    accountId === undefined ? [] : [accountId],
  );
  return row && toPosition(row);
}

type FeedRange = {
  readonly after: bigint;
  readonly upTo: bigint;
  readonly limit: number;
  /** The page ends with the event that reaches this many bytes; absent, only `limit` ends it. */
  readonly maxBytes?: number | undefined;
};

/** Events in a range of positions, in order, and whether there are more in it. */
export async function readRange(
  sql: Sql,
  { after, upTo, limit, maxBytes }: FeedRange,
  { type, accountId, objectId }: FeedFilter,
): Promise<{ events: FeedEvent[]; hasMore: boolean }> {
  // One more than the limit, to see whether there are more.
  const values: unknown[] = [after, upTo, limit + 1, maxBytes ?? null];
  const equals = (column: string, value: unknown) =>
    value === undefined ? '' : ` and ${column} = $${values.push(value)}`;
  // The object has an index on events; type and account have theirs on positions.
  const ofObject = objectId === undefined ? '' : 'join events e on e.id = p.event_id and e.account_id = p.account_id';
  const filter = equals('p.type', type) + equals('p.account_id', accountId) + equals('e.object_id', objectId);
  const rows = await sql.query<PositionRow & { json: string; found: string }>(
    `-- Chosen first: with the JSON in the same select, a plan that sorts would write the JSON of all later events.
     with chosen as materialized (
       select p.position, p.event_id, p.account_id from event_positions p ${ofObject}
        where p.position > $1 and p.position <= $2${filter}
        order by p.position limit $3
     ), found as (
       select p.position, ${MARK} as mark, ${EVENT_JSON} as json
         from chosen p join events e on e.id = p.event_id and e.account_id = p.account_id
     ), sized as (
       select *, count(*) over () as found,
              sum(octet_length(json)) over (order by position) - octet_length(json) as bytes_before
         from found
     )
     select position, mark, json, found from sized
      where $4::bigint is null or bytes_before < $4
      order by position`,
    values,
  );
  const events = rows.slice(0, limit).map(row => ({ ...toPosition(row), json: row.json }));
  return { events, hasMore: Number(rows[0]?.found ?? 0) > events.length };
}

/** An event as JSON; `accountId` restricts it to one account. */
export async function findEvent(sql: Sql, id: string, accountId?: string): Promise<string | undefined> {
  const [row] = await sql.query<{ json: string }>(
    `select ${EVENT_JSON} as json from events e where e.id = $1 and ($2::text is null or e.account_id = $2)`,
    [id, accountId ?? null],
  );
  return row?.json;
}

type PositionRow = { position: string; mark: string };

function toPosition({ position, mark }: PositionRow): FeedPosition {
  return { position: BigInt(position), mark };
}
