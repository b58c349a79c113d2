// SQL of the feed: the position each event gets, and reading by it. PostgreSQL writes the JSON, so that a decimal reaches the
// wire as it is stored.
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

/** An event by its position. Its mark tells it from another one that might have the position in another history. */
export type Place = { readonly position: bigint; readonly mark: string };
export type PlacedEvent = Place & { readonly json: string };

const PLACE_LIMIT = 5_000;
/** The end of an id is chance. */
const MARK = `right(p.event_id::text, 12)`;

/** Gives every event that is committed by now its position. Cheap when all have theirs. */
export async function placeEvents(db: Database): Promise<void> {
  const [waiting] = await db.query<{ any: boolean }>('select exists (select from unplaced_events) as any');
  if (!waiting!.any) return;
  // Those that are committed meanwhile may wait for the next call: under load they would never end.
  while ((await db.transaction(placeBatch)) >= PLACE_LIMIT);
}

/**
 * Positions commit in their order, since whoever gives them holds the feed's row until then. Events are placed in the order they
 * were written, and so those of one object in the order of their sequence: whoever changes an object holds it. Returns how
 * many there were.
 */
async function placeBatch(tx: Sql): Promise<number> {
  await tx.query('select from event_feed for update');
  const [placed] = await tx.query<{ count: string }>(
    `with taken as (
       -- Not «in»: the table seems empty to the planner, which would look the few up for each of the many.
       delete from unplaced_events
        where number <= (select max(number) from (select number from unplaced_events order by number limit $1) few)
       returning *
     ), placed as (
       insert into event_places (position, event_id, account_id, type, object_id)
       select f.position + row_number() over (order by number), event_id, account_id, type, object_id
         from taken, event_feed f
     )
     update event_feed f set position = f.position + t.count from (select count(*) from taken) t returning t.count`,
    [PLACE_LIMIT],
  );
  return Number(placed!.count);
}

/** The last event of the feed; position 0 when there is none. */
export async function findHead(sql: Sql): Promise<Place> {
  const [row] = await sql.query<PlaceRow>(
    `select f.position, coalesce((select ${MARK} from event_places p where p.position = f.position), '') as mark
       from event_feed f`,
  );
  return toPlace(row!);
}

export async function findPlace(sql: Sql, position: bigint): Promise<Place | undefined> {
  const [row] = await sql.query<PlaceRow>(
    `select p.position, ${MARK} as mark from event_places p where p.position = $1`,
    [position],
  );
  return row && toPlace(row);
}

/** Events after a position up to another, in order. */
export async function readAfter(
  sql: Sql,
  { after, upTo, limit }: { after: bigint; upTo: bigint; limit: number },
  { type, accountId, objectId }: FeedFilter,
): Promise<PlacedEvent[]> {
  const values: unknown[] = [after, upTo, limit];
  const equals = (column: string, value: unknown) =>
    value === undefined ? '' : ` and ${column} = $${values.push(value)}`;
  // An object is found among the events, a type and an account among the places: that is where they are indexed.
  const filter = equals('p.type', type) + equals('p.account_id', accountId) + equals('e.object_id', objectId);
  const rows = await sql.query<PlaceRow & { json: string }>(
    `select p.position, ${MARK} as mark, ${EVENT_JSON} as json
       from event_places p join events e on e.id = p.event_id and e.account_id = p.account_id
      where p.position > $1 and p.position <= $2${filter}
      order by p.position limit $3`,
    values,
  );
  return rows.map(row => ({ ...toPlace(row), json: row.json }));
}

/** An event as JSON; `accountId` narrows it to one account's. */
export async function findEvent(sql: Sql, id: string, accountId?: string): Promise<string | undefined> {
  const [row] = await sql.query<{ json: string }>(
    `select ${EVENT_JSON} as json from events e where e.id = $1 and ($2::text is null or e.account_id = $2)`,
    [id, accountId ?? null],
  );
  return row?.json;
}

type PlaceRow = { position: string; mark: string };

function toPlace({ position, mark }: PlaceRow): Place {
  return { position: BigInt(position), mark };
}
