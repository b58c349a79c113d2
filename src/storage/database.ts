// The connection pool, and transactions that are run again when the server asks for it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { backOff } from '../lib/backoff.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { currentWorkKind, withoutWorkKind } from '../lib/work-kind.ts';
import { connectionShares } from './connection-shares.ts';
import {
  type DatabaseOutage,
  isAborted,
  isDiskFull,
  isForgotten,
  isLockTimeout,
  isReadOnly,
  isRetryable,
  isSilence,
  isWaitedOut,
  outageOf,
} from './faults.ts';
import { lockPatience } from './lock-patience.ts';
import { watchSilence } from './silence.ts';

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
  /** Has connections of its own and short limits: answers while all others are taken. For questions about the database. */
  readonly probe: Sql;
  /** True while the database does not answer, and callers are refused at once. */
  isSilent(): boolean;
  /** Why it cannot be written (a full disk, read-only), from a write that found so until `tryToWrite` succeeds. */
  whyUnwritable(): string | undefined;
  /** Writes as much as a busy second would, in a session of its own, and throws it away. Refused with the reason. */
  tryToWrite(): Promise<void>;
  /** Waits for what is running, then returns when the server holds no session of this pool any more. */
  close(): Promise<void>;
};

export type TransactionOptions = {
  /** Whether it may take as long as a migration does. */
  readonly isLong?: boolean;
  /** Whether all that it reads is as it was at one moment. */
  readonly isSnapshot?: boolean;
  /** How long a statement waits for a lock of another transaction before it fails; without it, as long as it may take. */
  readonly lockTimeoutMs?: number | undefined;
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
/** How much of what other kinds leave of the pool work of one kind may hold. */
const SHARE = 1 / 5;
/** Hundreds of jobs may wait for their share at once, and a job that fails for that would only run again later. */
const BACKGROUND_WAIT_MS = 60_000;
/** One for `/readyz`, one for the probe of a silent database. */
const PROBE_CONNECTIONS = 2;
const PROBE_LIMIT_MS = 2_000;
const PROBE_LIFE_SECONDS = 10;
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

const SILENT = 'The database does not answer; it is asked again in the background. Try again shortly.';
const DISK_FULL = 'The database cannot be written: its disk is full.';
const READ_ONLY = 'The database is read-only.';
const OUTAGE_MESSAGES: Record<DatabaseOutage, string> = {
  database_unavailable: 'The database cannot be reached; try again shortly.',
  database_timeout: 'The database did not finish in time; try again shortly.',
  overloaded: 'No database connection became free in time; try again shortly.',
};

/** Rolled back by itself: a temporary table takes its room from the same disk and gives it back. */
const TRY_TO_WRITE = `
  create temporary table room on commit drop as select repeat('x', 500) as filler from generate_series(1, 1000)`;

export function openDatabase({ connection, log, maxConnections = MAX_CONNECTIONS }: Options): Database {
  const settings: pg.PoolConfig = {
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
  };
  const { pool, close } = openPool({ ...settings, max: maxConnections }, log);
  const probeSettings = {
    ...settings,
    connectionTimeoutMillis: PROBE_LIMIT_MS,
    statement_timeout: PROBE_LIMIT_MS,
    query_timeout: PROBE_LIMIT_MS,
  };
  const probes = openPool(
    {
      ...probeSettings,
      max: PROBE_CONNECTIONS,
      // What is set for a database, such as that it is read-only, holds for new sessions.
      maxLifetimeSeconds: PROBE_LIFE_SECONDS,
    },
    log,
  );
  const probe: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) => {
      try {
        return rowsOf<R>(await probes.pool.query<R>({ text, values: [...values] }));
      } catch (error) {
        throw asOutage(error);
      }
    },
  };
  const shares = connectionShares({
    connections: maxConnections,
    share: SHARE,
    callerWaitMs: CONNECT_TIMEOUT_MS,
    backgroundWaitMs: BACKGROUND_WAIT_MS,
  });
  const patience = lockPatience(kind => shares.refuseWaiting(tooSlow, kind));
  const silence = watchSilence({
    probe: () => probes.pool.query('select'),
    onSilence: () => shares.refuseWaiting(silent),
    log,
  });
  let unwritable: string | undefined;

  /** Remembers what a failure says about the time after it. */
  function note(error: unknown): void {
    if (isWaitedOut(error)) silence.suspect();
    const reason = unwritableReason(error);
    if (reason === undefined || reason === unwritable) return;
    unwritable = reason;
    const what = reason === DISK_FULL ? 'the disk of the database is full' : 'the database is read-only';
    log.error(`${what}; this node is not ready until it can write again`, { error });
  }

  /** Asked before the wait for a connection: those that are taken hang until their limit. */
  async function inTurn<T>(work: (lockTimeoutMs: number | undefined) => Promise<T>): Promise<T> {
    if (silence.isOn()) throw silent();
    const kind = currentWorkKind();
    return shares.run(kind, () => patience.run(kind, work));
  }

  /** `handlesLockTimeout`: the caller set a limit for locks and gets that error as it is. */
  async function attempt<T>(work: () => Promise<T>, handlesLockTimeout = false): Promise<T> {
    const lastTryAt = Date.now() + RETRY_WINDOW_MS;
    for (let tried = 1; ; tried++) {
      try {
        return await work();
      } catch (error) {
        if (error instanceof AppError) throw error;
        // A session of another server may take writes; once none did, each caller would open several in vain.
        const isKnown = isReadOnly(error) && unwritable !== undefined;
        if (isRetryable(error) && !isKnown && tried < MAX_ATTEMPTS && Date.now() < lastTryAt) {
          await backOff(tried, RETRY_BASE_MS, RETRY_CAP_MS);
          continue;
        }
        note(error);
        throw handlesLockTimeout && isLockTimeout(error) ? error : asOutage(error);
      }
    }
  }

  const listeners = new Map<string, (() => void)[]>();

  return {
    query: <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) =>
      inTurn(lockTimeoutMs =>
        attempt(async () => {
          // The limit can be set for a transaction only.
          if (lockTimeoutMs !== undefined)
            return runTransaction(pool, tx => tx.query<R>(text, values, options), { lockTimeoutMs });
          return rowsOf<R>(await pool.query<R>({ text, values: [...values], ...options }));
        }),
      ),

    transaction: async (work, options = {}) => {
      const channels = new Set<string>();
      const run = (lockTimeoutMs: number | undefined) => {
        channels.clear();
        const limited = { lockTimeoutMs, ...options };
        return runTransaction(pool, tx => work({ ...tx, notify: channel => void channels.add(channel) }), limited);
      };
      // A statement outside the transaction, made by its work, must not wait for the end of others like it.
      const result = await inTurn(lockTimeoutMs =>
        withoutWorkKind(() => attempt(() => run(lockTimeoutMs), options.lockTimeoutMs !== undefined)),
      );
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

    probe,
    isSilent: silence.isOn,
    whyUnwritable: () => unwritable,

    tryToWrite: async () => {
      // A session that was opened earlier may still be allowed what a new one is not, and the other way round.
      const client = new pg.Client(probeSettings);
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query(TRY_TO_WRITE);
      } catch (error) {
        throw asOutage(error);
      } finally {
        await client.end().catch(() => {});
      }
      if (unwritable !== undefined) log.info('the database can be written again');
      unwritable = undefined;
    },

    close: async () => {
      await Promise.all([silence.stop(), close(), probes.close()]);
    },
  };
}

function openPool(settings: pg.PoolConfig, log: Log): { readonly pool: pg.Pool; close(): Promise<void> } {
  const pool = new pg.Pool(settings);
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

function silent(): AppError {
  return new AppError('database_unavailable', SILENT);
}

function tooSlow(): AppError {
  return new AppError('database_timeout', OUTAGE_MESSAGES.database_timeout);
}

function unwritableReason(error: unknown): string | undefined {
  if (isDiskFull(error)) return DISK_FULL;
  return isReadOnly(error) ? READ_ONLY : undefined;
}

/** An error that is about the state of the database becomes the outage that a caller is told of. */
function asOutage(error: unknown): unknown {
  const reason = unwritableReason(error);
  if (reason !== undefined) return new AppError('database_unavailable', reason, { cause: error });
  const outage = outageOf(error);
  return outage ? new AppError(outage, OUTAGE_MESSAGES[outage], { cause: error }) : error;
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
    // A session that is silent, has forgotten its statements, may only read or cannot even roll back is thrown away with its
    // transaction.
    if (isSilence(error) || isForgotten(error) || isReadOnly(error)) broken = error as Error;
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
