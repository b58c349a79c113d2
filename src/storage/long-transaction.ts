// A transaction that reads a whole table, however large: its statements have no limit of time.
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
