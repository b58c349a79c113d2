// The SQL of events for people: those of one object, and the newest of all.
import type { Sql } from '../storage/database.ts';
import { type RowOf, recordOf } from '../storage/records.ts';

type ShownEvent = {
  readonly id: string;
  readonly type: string;
  readonly accountId: string;
  readonly objectId: string;
  readonly occurredAt: Date;
};

const COLUMNS = 'e.id, e.type, e.account_id, e.object_id, e.occurred_at';
const toEvent = recordOf<ShownEvent>(COLUMNS);

const MAX_OF_OBJECT = 200;

/** The events of an object, oldest first. */
export async function readObjectEvents(sql: Sql, objectId: string, accountId: string): Promise<ShownEvent[]> {
  const rows = await sql.query<RowOf<ShownEvent>>(
    `select ${COLUMNS} from events e
      where e.object_id = $1 and e.account_id = $2 order by e.sequence limit ${MAX_OF_OBJECT}`,
    [objectId, accountId],
  );
  return rows.map(toEvent);
}

type NewestQuery = {
  readonly accountId?: string | undefined;
  readonly type?: string | undefined;
  /** Events before this position; the newest when absent. */
  readonly before?: bigint | undefined;
  readonly limit: number;
};

/** Events with their positions, newest first. */
export async function readNewestEvents(
  sql: Sql,
  { accountId, type, before, limit }: NewestQuery,
): Promise<(ShownEvent & { readonly position: bigint })[]> {
  const values: unknown[] = [limit];
  const and = (condition: (parameter: string) => string, value: unknown) =>
    value === undefined ? '' : ` and ${condition(`$${values.push(value)}`)}`;
  const rows = await sql.query<RowOf<ShownEvent> & { position: string }>(
    `with chosen as materialized (
       select p.position, p.event_id, p.account_id from event_positions p
        where true${and(at => `p.account_id = ${at}`, accountId)}${and(at => `p.type = ${at}`, type)}${and(at => `p.position < ${at}`, before)}
        order by p.position desc limit $1)
     select c.position, ${COLUMNS}
       from chosen c join events e on e.id = c.event_id and e.account_id = c.account_id order by c.position desc`,
    values,
  );
  return rows.map(row => ({ ...toEvent(row), position: BigInt(row.position) }));
}
