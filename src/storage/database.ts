// The database as the service uses it: a pool of connections with a limit on every wait, and transactions that are retried when the
// server asks for it.
import pg from 'pg';
import type { Log } from '../lib/log.ts';
import { isLockTimeout, isReadOnly } from './faults.ts';
import { openPool } from './pool.ts';
import { asOutage } from './refusals.ts';
import { withRetries } from './retry.ts';
import type { Row, Sql, TransactionOptions } from './sql.ts';
import { rowsOf, runStatement, runTransaction } from './transaction.ts';
import { watchWritability } from './writability.ts';

// A moment is sent in UTC: the machine's own zone has had offsets of odd seconds, and the driver knows only minutes.
pg.defaults.parseInputDatesAsUTC = true;

export type { Row, Sql, TransactionOptions };

export type Database = Sql & {
  /**
   * Runs `work` in one transaction and commits it. After serialisation failures, deadlocks and lost connections all of it is
   * retried, and a connection may be lost after the commit took effect: so `work` makes its ids beforehand and writes so that a
   * second run finds the first.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls `listener` after each commit of this process whose transaction notified the channel. */
  listen(channel: string, listener: () => void): void;
  poolStats(): PoolStats;
  /** Has its own connections and short limits, so it answers while all others are taken. For questions about the database. */
  readonly probe: Sql;
  /** Why the database cannot be written (a full disk, read-only), from a failed write until `tryToWrite` succeeds. */
  whyUnwritable(): string | undefined;
  /** Writes as much as a busy second, in a new session, and rolls it back. Throws the reason when that fails. */
  tryToWrite(): Promise<void>;
  /** Waits for running work, then returns when the server has no session of this pool any more. */
  close(): Promise<void>;
};

/** Open connections, free ones, callers that wait for one, and the maximum. */
type PoolStats = {
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
  readonly max: number;
};

type Options = {
  readonly connection: pg.PoolConfig;
  readonly log: Log;
  readonly maxConnections?: number;
};

const MAX_CONNECTIONS = 20;
const PROBE_LIMIT_MS = 2_000;
const PROBE_LIFE_SECONDS = 10;
// No caller waits longer than about five seconds for a database that does not answer, is locked or overloaded: decision 56.
/** Also the wait for a free connection of the pool. */
const CONNECT_TIMEOUT_MS = 5_000;
/** The wait for a lock included. */
const STATEMENT_TIMEOUT_MS = 4_000;
/** A server that does not answer cannot enforce its own limit, so the driver has a slightly longer one. */
const SILENCE_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

export function openDatabase({ connection, log, maxConnections = MAX_CONNECTIONS }: Options): Database {
  const settings: pg.PoolConfig = {
    application_name: 'trilho',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    keepAlive: true,
    // Most systems default to two hours: work without its own limit would wait that long for a machine that is gone.
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    // Independent statements are sent at once; the server still runs them in order.
    pipeline: true,
    // Moments are read back as they were sent, regardless of the server's zone.
    options: '-c timezone=UTC',
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    ...connection,
  };
  const probeSettings = {
    ...settings,
    connectionTimeoutMillis: PROBE_LIMIT_MS,
    statement_timeout: PROBE_LIMIT_MS,
    query_timeout: PROBE_LIMIT_MS,
    max: 1,
  };
  const { pool, close } = openPool({ ...settings, max: maxConnections }, log);
  // Settings of a database, such as read-only, apply to new sessions.
  const probes = openPool({ ...probeSettings, maxLifetimeSeconds: PROBE_LIFE_SECONDS }, log);
  const writability = watchWritability(probeSettings, log);

  /** `handlesLockTimeout`: the caller set a lock limit and handles that error itself. */
  async function attempt<T>(work: () => Promise<T>, handlesLockTimeout = false): Promise<T> {
    try {
      // A session of another server may accept writes; when no session did, further retries would only open more sessions.
      return await withRetries(work, error => isReadOnly(error) && writability.whyNot() !== undefined);
    } catch (error) {
      writability.note(error);
      throw handlesLockTimeout && isLockTimeout(error) ? error : asOutage(error);
    }
  }

  const listeners = new Map<string, (() => void)[]>();

  return {
    query: <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) =>
      attempt(() => runStatement<R>(pool, { text, values: [...values], ...options })),

    transaction: async (work, options = {}) => {
      const channels = new Set<string>();
      const run = () => {
        channels.clear();
        return runTransaction(pool, tx => work({ ...tx, notify: channel => void channels.add(channel) }), options);
      };
      const result = await attempt(run, options.lockTimeoutMs !== undefined);
      for (const channel of channels) for (const listener of listeners.get(channel) ?? []) listener();
      return result;
    },

    listen: (channel, listener) => {
      listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
    },

    poolStats: () => ({
      total: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      max: maxConnections,
    }),

    probe: {
      query: async <R extends Row>(text: string, values: readonly unknown[] = []) => {
        try {
          return rowsOf<R>(await probes.pool.query<R>({ text, values: [...values] }));
        } catch (error) {
          throw asOutage(error);
        }
      },
    },
    whyUnwritable: writability.whyNot,
    tryToWrite: writability.tryToWrite,

    close: async () => {
      await Promise.all([close(), probes.close()]);
    },
  };
}
