// A pool of connections that survives the loss of any of them, and can be closed while the server is silent.
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../lib/log.ts';

type OpenPool = { readonly pool: pg.Pool; close(): Promise<void> };

const FAREWELL_LIMIT_MS = 5_000;

export function openPool(settings: pg.PoolConfig, log: Log): OpenPool {
  const pool = new pg.Pool(settings);
  // A connection that dies while idle is dropped and replaced; the next caller gets a new one.
  pool.on('error', error =>
    log.warn('an idle database connection was lost; the pool opens another when it needs one', { error }),
  );
  // A connection may also die inside a transaction, between two statements. The next statement then fails; without a listener, the
  // `error` event would end the process.
  pool.on('connect', client => client.on('error', () => {}));
  const open = new Set<pg.PoolClient>();
  pool.on('connect', client => open.add(client));
  pool.on('remove', client => open.delete(client));
  return {
    pool,
    close: async () => {
      const ended = pool.end();
      // A server that does not answer must not keep the service from stopping.
      await Promise.race([ended, wait(FAREWELL_LIMIT_MS, undefined, { ref: false })]);
      // The pool does not wait until its connections are closed, and PostgreSQL counts an open one as a user of the
      // database.
      const limit = AbortSignal.timeout(FAREWELL_LIMIT_MS);
      while (open.size > 0 && !limit.aborted) await once(pool, 'remove', { signal: limit }).catch(() => {});
    },
  };
}
