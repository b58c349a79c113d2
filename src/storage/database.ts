// The connection pool, and transactions that are run again when the server asks for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { backOff } from '../lib/backoff.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import {
  type DatabaseOutage,
  isAborted,
  isForgotten,
  isLockTimeout,
  isRetryable,
  isSilence,
  outageOf,
} from './faults.ts';

// A moment is sent in UTC: the machine's own zone has had offsets of odd seconds, and the driver knows only minutes.
pg.defaults.parseInputDatesAsUTC = true;

export type Row = Record<string, unknown>;

/** Something that runs a statement: the pool, or one open transaction. */
export type Sql = {
  /**
   * A statement with a name is prepared once a connection, which pays for large inserts; a name has one text. One that looks
   * for rows had better be planned each time, as long as its table may be small one day and large the next.
   */
  query<R extends Row = Row>(
    text: string,
    values?: readonly unknown[],
    options?: { readonly name?: string },
  ): Promise<R[]>;
  /** Inside a transaction: calls the listeners of this process when it has committed. Only a hint: the others poll. */
  readonly notify?: (channel: string) => void;
};

export type Database = Sql & {
  /**
   * Runs `work` in one transaction and commits it. Serialisation failures, deadlocks and lost connections run the whole
   * of it again, and a connection may be lost after the commit took effect: so `work` makes its ids beforehand and
   * writes in a way that a second run finds the first.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Calls `listener` after each commit of this process whose transaction notified the channel. */
  listen(channel: string, listener: () => void): void;
  poolStats(): PoolStats;
  /** Waits for what is running, then returns when the server holds no session of this pool any more. */
  close(): Promise<void>;
};

export type TransactionOptions = {
  /** Whether it may take as long as a migration does. */
  readonly isLong?: boolean;
  /** Whether all that it reads is as it was at one moment. */
  readonly isSnapshot?: boolean;
  /** How long a statement waits for a lock of another transaction before it fails; without it, as long as it may take. */
  readonly lockTimeoutMs?: number;
};

/** Open connections, those of them that are free, callers that wait for one, and the most that may be open. */
export type PoolStats = {
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
/** Also the wait for a free connection of the pool. */
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** A server that went silent cannot keep its own limit, so the driver has one a little above. */
const SILENCE_TIMEOUT_MS = 12_000;
/** What a migration may take: as long as the data it moves. */
const LONG_TIMEOUT_MS = 86_400_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const FAREWELL_LIMIT_MS = 5_000;
const MAX_ATTEMPTS = 5;
/** A failure after this time is not retried. */
const RETRY_WINDOW_MS = 3_000;
const RETRY_BASE_MS = 10;
const RETRY_CAP_MS = 400;

const OUTAGE_MESSAGES: Record<DatabaseOutage, string> = {
  database_unavailable: 'The database cannot be reached; try again shortly.',
  database_timeout: 'The database did not finish in time; try again shortly.',
  overloaded: 'No database connection became free in time; try again shortly.',
};

export function openDatabase({ connection, log, maxConnections = MAX_CONNECTIONS }: Options): Database {
  const pool = new pg.Pool({
    application_name: 'trilho',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    keepAlive: true,
    // Statements that do not wait for each other are sent at once; the server still runs them in their order.
    pipeline: true,
    // Moments are read back as they are sent, whatever zone the server lives in.
    options: '-c timezone=UTC',
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    ...connection,
    max: maxConnections,
  });
  // A connection that dies while idle is dropped and replaced; the next caller gets a new one.
  pool.on('error', error =>
    log.warn('an idle database connection was lost; the pool opens another when it needs one', { error }),
  );
  // One may also die in the middle of a transaction, between two statements. The next statement then fails; the `error`
  // event, without a listener, would end the process.
  pool.on('connect', client => client.on('error', () => {}));
  const open = new Set<pg.PoolClient>();
  pool.on('connect', client => open.add(client));
  pool.on('remove', client => open.delete(client));

  /** `handlesLockTimeout`: the caller set a limit for locks and gets that error as it is. */
  async function attempt<T>(work: () => Promise<T>, handlesLockTimeout = false): Promise<T> {
    const lastTryAt = Date.now() + RETRY_WINDOW_MS;
    for (let tried = 1; ; tried++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof AppError) throw error;
        if (isRetryable(error) && tried < MAX_ATTEMPTS && Date.now() < lastTryAt) {
          await backOff(tried, RETRY_BASE_MS, RETRY_CAP_MS);
          continue;
        }
        const outage = handlesLockTimeout && isLockTimeout(error) ? undefined : outageOf(error);
        throw outage ? new AppError(outage, OUTAGE_MESSAGES[outage], { cause: error }) : error;
      }
    }
  }

  const listeners = new Map<string, (() => void)[]>();

  return {
    query: <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) =>
      attempt(async () => rowsOf<R>(await pool.query<R>({ text, values: [...values], ...options }))),

    transaction: async (work, options = {}) => {
      const channels = new Set<string>();
      const result = await attempt(() => {
        channels.clear();
        return runTransaction(pool, tx => work({ ...tx, notify: channel => void channels.add(channel) }), options);
      }, options.lockTimeoutMs !== undefined);
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

async function runTransaction<T>(
  pool: pg.Pool,
  work: (tx: Sql) => Promise<T>,
  { isLong = false, isSnapshot = false, lockTimeoutMs }: TransactionOptions,
): Promise<T> {
  const client = await pool.connect();
  let isOver = false;
  let broken: Error | undefined;
  let firstFault: unknown;
  const tx: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) => {
      // The connection may belong to another transaction by now.
      assert(!isOver, 'a statement came after the end of its transaction');
      const timeout = { query_timeout: isLong ? LONG_TIMEOUT_MS : SILENCE_TIMEOUT_MS };
      try {
        return rowsOf<R>(await client.query<R>({ text, values: [...values], ...timeout, ...options }));
      } catch (error) {
        firstFault ??= error;
        throw error;
      }
    },
  };
  try {
    await client.query(beginText(isSnapshot, lockTimeoutMs));
    const result = await work(tx).finally(() => {
      isOver = true;
    });
    await client.query('commit');
    return result;
  } catch (thrown) {
    // Statements pipelined with the one that failed are rejected because of it, and their errors may arrive first.
    const error = isAborted(thrown) ? (firstFault ?? thrown) : thrown;
    // A session that is silent, has forgotten its statements or cannot even roll back is thrown away with its transaction.
    if (isSilence(error) || isForgotten(error)) broken = error as Error;
    else {
      await client.query('rollback').catch(reason => {
        broken = reason;
      });
    }
    throw error;
  } finally {
    client.release(broken);
  }
}

function beginText(isSnapshot: boolean, lockTimeoutMs: number | undefined): string {
  const begin = isSnapshot ? 'begin isolation level repeatable read' : 'begin';
  return lockTimeoutMs === undefined ? begin : `${begin}; set local lock_timeout = ${lockTimeoutMs}`;
}

/** Several statements in one text give several results. */
function rowsOf<R extends Row>(result: pg.QueryResult<R> | pg.QueryResult<R>[]): R[] {
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows;
}
