// The traces of objects: what a job, a rail or a webhook does for a charge much later, perhaps on another node, belongs to the trace of
// the request that created it.
import type { Duration } from '../lib/date-times.ts';
import {
  formatTraceparent,
  type ObjectTrace,
  parseTraceparent,
  type TraceContext,
  type Tracing,
} from '../lib/tracing.ts';
import type { Database, Sql } from './database.ts';
import { PRUNE_BATCH_SIZE, type Prune } from './pruning.ts';

/** Without traces nothing is written. */
export async function insertTraces(tx: Sql, traces: readonly (ObjectTrace | undefined)[]): Promise<void> {
  const known = traces.filter(trace => trace !== undefined);
  if (known.length === 0) return;
  await tx.query(
    `insert into object_traces (object_id, traceparent, created_at)
     select * from unnest($1::uuid[], $2::text[], $3::timestamptz[]) on conflict do nothing`,
    [
      known.map(({ objectId }) => objectId),
      known.map(({ context }) => formatTraceparent(context)),
      known.map(({ at }) => at),
    ],
  );
}

type Deps = { readonly tracing?: Tracing | undefined };

/** An object that belongs to another one shares its trace; without tracing there is no query. */
export async function shareTraces(
  { tracing }: Deps,
  tx: Sql,
  pairs: readonly { readonly from: string; readonly to: string }[],
): Promise<void> {
  if (!tracing || pairs.length === 0) return;
  await tx.query(
    `insert into object_traces (object_id, traceparent, created_at)
     select pair.to_id, t.traceparent, t.created_at
       from unnest($1::uuid[], $2::uuid[]) as pair (from_id, to_id) join object_traces t on t.object_id = pair.from_id
     on conflict do nothing`,
    [pairs.map(({ from }) => from), pairs.map(({ to }) => to)],
  );
}

const NO_TRACES: ReadonlyMap<string, TraceContext> = new Map();

/**
 * The traces of objects; without tracing there is no query. A failed query counts as no traces: the caller's work matters more.
 */
export async function findTraces(
  { db, tracing }: Deps & { readonly db: Database },
  objectIds: readonly string[],
): Promise<ReadonlyMap<string, TraceContext>> {
  if (!tracing || objectIds.length === 0) return NO_TRACES;
  try {
    const rows = await db.query<{ object_id: string; traceparent: string }>(
      'select object_id, traceparent from object_traces where object_id = any($1)',
      [objectIds],
    );
    return new Map(rows.map(({ object_id: id, traceparent }) => [id, parseTraceparent(traceparent)!]));
  } catch {
    return NO_TRACES;
  }
}

export function pruneTraces(keep: Duration | 'forever'): Prune {
  return {
    kind: 'traces',
    keep,
    // Removed rows stay as dead entries at the front of the index until a vacuum: each run continues after them.
    step: async (db, before, from) => {
      const rows = await db.query<{ created_at: Date }>(
        `with removed as (
           delete from object_traces where object_id in (
             select object_id from object_traces where created_at >= $1 and created_at < $2 order by created_at limit $3
                for update skip locked)
           returning created_at
         )
         select created_at from removed order by created_at`,
        [from ? new Date(from) : new Date(0), before, PRUNE_BATCH_SIZE],
      );
      const last = rows.at(-1)?.created_at;
      return {
        removed: rows.length,
        next: rows.length < PRUNE_BATCH_SIZE ? undefined : last?.toISOString(),
      };
    },
    oldest: async sql => {
      const [row] = await sql.query<{ created_at: Date }>(
        'select created_at from object_traces order by created_at limit 1',
      );
      return row?.created_at;
    },
  };
}
