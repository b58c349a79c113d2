// A transaction for reading whole tables of any size: its statements have no time limit.
import type { Database, Sql } from './database.ts';

export function longTransaction<T>(db: Database, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db.transaction(
    async tx => {
      await tx.query('set local statement_timeout = 0');
      return work(tx);
    },
    { isLong: true },
  );
}
