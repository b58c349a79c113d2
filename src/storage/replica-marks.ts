// Marks that show the age of a replica's data: the service writes the time on the primary, the replica repeats it. Explained in
// docs/decisions/0050-read-replicas.md.
import type { Sql } from './database.ts';

/** Writes a mark unless another node just did. Returns the time of the primary, which is not before the mark. */
export async function leaveMark(primary: Sql): Promise<Date> {
  const [row] = await primary.query<{ now: Date }>(
    `with marked as (
       update replica_marks set marked_at = clock_timestamp()
        where marked_at not between clock_timestamp() - interval '900 ms' and clock_timestamp()
       returning marked_at)
     select greatest(clock_timestamp(), (select marked_at from marked)) as now`,
  );
  return row!.now;
}

export type SeenMark = {
  /** The replica shows everything that was committed before this moment. */
  readonly markedAt: Date;
  /** False: it accepts writes, and is no longer a replica. */
  readonly isStandby: boolean;
};

export async function readMark(replica: Sql): Promise<SeenMark> {
  const [row] = await replica.query<SeenMark>(
    `select marked_at as "markedAt", pg_is_in_recovery() as "isStandby" from replica_marks`,
  );
  return row!;
}
