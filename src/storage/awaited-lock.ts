// Finds the table that a session waits for, from another session: the error of a failed wait does not name it.
import { setTimeout as wait } from 'node:timers/promises';
import type { Sql } from './database.ts';

/** A lock as in a statement: `lock table <table> in <mode> mode`. */
export type TableLock = { readonly table: string; readonly mode: string };

const LOOK_EVERY_MS = 50;

type Watch = { readonly tx: Sql; readonly probe: Sql; readonly onWait: (lock: TableLock) => void };

/** Polls while `work` runs, and calls `onWait` with each lock that the session of `tx` waits for. */
export async function watchWaits({ tx, probe, onWait }: Watch, work: () => Promise<void>): Promise<void> {
  const [session] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
  const over = new AbortController();
  const watch = async () => {
    while (!over.signal.aborted) {
      await wait(LOOK_EVERY_MS, undefined, { signal: over.signal });
      const lock = await readAwaited(probe, session!.pid);
      if (lock) onWait(lock);
    }
  };
  // Not awaited at the end, when the work may hold locks. A failed poll is ignored.
  watch().catch(() => {});
  try {
    await work();
  } finally {
    over.abort();
  }
}

async function readAwaited(sql: Sql, pid: number): Promise<TableLock | undefined> {
  const [row] = await sql.query<TableLock>(
    `select c.oid::regclass::text as table, l.mode
       from pg_locks l join pg_class c on c.oid = l.relation
      where l.pid = $1 and not l.granted and c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')`,
    [pid],
  );
  return (
    row && {
      table: row.table,
      mode: row.mode
        .replace(/Lock$/, '')
        .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
        .toLowerCase(),
    }
  );
}
