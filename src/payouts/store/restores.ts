// The SQL of restores: until the books are compared with the chains, they may lack transfers made after the backup.
import type { Sql } from '../../storage/database.ts';

type Restore = {
  readonly id: string;
  /** The database has nothing later than this. */
  readonly asOf: Date;
  readonly restoredAt: Date;
  /** The pause that ends only after a comparison. */
  readonly pauseId: string;
};

export async function insertRestore(tx: Sql, { id, asOf, restoredAt, pauseId }: Restore): Promise<void> {
  await tx.query('insert into restores (id, as_of, restored_at, pause_id) values ($1, $2, $3, $4)', [
    id,
    asOf,
    restoredAt,
    pauseId,
  ]);
}

/** The span that is not compared yet: from the oldest backup to the newest restore. A backup of a restored database has two restores. */
export async function findUncompared(sql: Sql): Promise<Pick<Restore, 'asOf' | 'restoredAt'> | undefined> {
  const [row] = await sql.query<{ as_of: Date | null; restored_at: Date | null }>(
    'select min(as_of) as as_of, max(restored_at) as restored_at from restores where compared_at is null',
  );
  return row?.as_of && row.restored_at ? { asOf: row.as_of, restoredAt: row.restored_at } : undefined;
}

/** The restore that made a pause, while it is not compared. */
export async function findUncomparedOfPause(sql: Sql, pauseId: string): Promise<{ readonly asOf: Date } | undefined> {
  const [row] = await sql.query<{ as_of: Date }>(
    'select min(as_of) as as_of from restores where compared_at is null and pause_id = $1 having count(*) > 0',
    [pauseId],
  );
  return row && { asOf: row.as_of };
}

/** Marks restores up to a moment as compared. */
export async function markCompared(sql: Sql, { until, at }: { until: Date; at: Date }): Promise<void> {
  await sql.query('update restores set compared_at = $2 where compared_at is null and restored_at <= $1', [until, at]);
}

/** An operator vouches for a restore that the check could not compare completely. */
export async function markExcused(tx: Sql, pauseId: string, note: string, at: Date): Promise<void> {
  await tx.query('update restores set compared_at = $3, note = $2 where compared_at is null and pause_id = $1', [
    pauseId,
    note,
    at,
  ]);
}
