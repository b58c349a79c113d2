// How SQL is spoken: a pool, and transactions that are run again when the server asks for it.
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { backOff } from '../lib/backoff.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { asParameter } from './array-literal.ts';
import { isAborted, isForgotten, isRetryable, isSilence, isUnavailable } from './faults.ts';
import { openLane } from './lane.ts';
import type { Rows, Statement } from './together.ts';

// A moment is sent in UTC: the machine's own zone has had offsets of odd seconds, and the driver knows only minutes.
pg.defaults.parseInputDatesAsUTC = true;

export type Row = Record<string, unknown>;

/** Something that runs a statement: the pool, or one open transaction. */
export type Sql = {
  /**
   * A statement with a name is planned once a connection, which pays for large inserts; a name has one text. One that looks
   * for rows had better be planned each time, as long as its table may be small one day and large the next.
   */
  query<R extends Row = Row>(
    text: string,
    values?: readonly unknown[],
    options?: { readonly name?: string },
  ): Promise<R[]>;
};

/** A statement that was made elsewhere. */
export function run<R extends Row = Row>(sql: Sql, { text, values, ...options }: Statement): Promise<R[]> {
  return sql.query<R>(text, values, options);
}

/** A connection for what many do together; see `lane.ts`. Each statement is a transaction by itself. */
export type Lane = Sql & {
  /** Runs statements as one transaction that is sent whole, and returns the rows of each. */
  together(statements: readonly Statement[]): Promise<readonly Rows[]>;
};

export type Database = Sql & {
  /**
   * Runs `work` in one transaction and commits it. Serialisation failures, deadlocks and lost connections run the whole
   * of it again, and a connection may be lost after the commit took effect: so `work` makes its ids beforehand and
   * writes in a way that a second run finds the first.
   */
  transaction<T>(work: (tx: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** A lane whose statements wait so long for somebody else's lock. What is said on it is run again as in `transaction`. */
  lane(lockWaitMs: number): Lane;
  poolStats(): PoolStats;
  /** Waits for what is running, then returns when the server holds no session of ours any more. */
  close(): Promise<void>;
};

export type TransactionOptions = {
  /** Whether it may take as long as a migration does. */
  readonly isLong?: boolean;
  /** Whether all that it reads is as it was at one moment. */
  readonly isSnapshot?: boolean;
  /**
   * How long it waits for somebody else's lock before it fails; without it, as long as a statement may take. Such a
   * transaction is for many at once: its first statements are sent together with its beginning, and no plan looks at their values.
   */
  readonly lockWaitMs?: number;
};

export type PoolStats = { readonly total: number; readonly idle: number; readonly waiting: number };

type Options = {
  readonly connection: pg.PoolConfig;
  readonly log: Log;
  readonly maxConnections?: number;
};

const MAX_CONNECTIONS = 20;
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** A server that went silent cannot keep its own limit, so the driver has one a little above. */
const SILENCE_TIMEOUT_MS = 12_000;
/** What a migration may take: as long as the data it moves. */
const LONG_TIMEOUT_MS = 86_400_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const FAREWELL_LIMIT_MS = 5_000;
const MAX_ATTEMPTS = 5;
/** Nobody waits for another try after this. */
const RETRY_WINDOW_MS = 3_000;
const RETRY_BASE_MS = 10;
const RETRY_CAP_MS = 400;

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
  // A connection that dies while idle is dropped and replaced; the next caller need not hear of it.
  pool.on('error', error => log.warn('an idle database connection was lost', { error }));
  // One may also die in the hands of a transaction, between two of its statements. The next statement fails and says so;
  // the event, with nobody listening, would end the process.
  pool.on('connect', client => client.on('error', () => {}));
  const open = new Set<pg.PoolClient>();
  pool.on('connect', client => open.add(client));
  pool.on('remove', client => open.delete(client));

  async function attempt<T>(work: () => Promise<T>): Promise<T> {
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
        if (isUnavailable(error)) {
          throw new AppError('unavailable', 'The database cannot be reached; try again shortly.', { cause: error });
        }
        throw error;
      }
    }
  }

  return {
    query: <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) =>
      attempt(async () => rowsOf<R>(await pool.query<R>({ text, values: values.map(asParameter), ...options }))),

    transaction: (work, options = {}) => attempt(() => runTransaction(pool, work, options)),

    lane: lockWaitMs => {
      const send = openLane(pool, lockWaitMs);
      return {
        query: <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) =>
          attempt(async () => (await send([{ text, values, ...options }]))[0] as R[]),
        together: statements => attempt(() => send(statements)),
      };
    },

    poolStats: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),

    close: async () => {
      const ended = pool.end();
      // A silent server would keep its statements, and us, for as long as it pleases.
      await Promise.race([ended, wait(FAREWELL_LIMIT_MS, undefined, { ref: false })]);
      // The pool does not wait for its farewells to be heard, and a session of ours would count as somebody's who still
      // uses the database.
      const limit = AbortSignal.timeout(FAREWELL_LIMIT_MS);
      while (open.size > 0 && !limit.aborted) await once(pool, 'remove', { signal: limit }).catch(() => {});
    },
  };
}

async function runTransaction<T>(
  pool: pg.Pool,
  work: (tx: Sql) => Promise<T>,
  { isLong = false, isSnapshot = false, lockWaitMs }: TransactionOptions,
): Promise<T> {
  const silenceMs = isLong ? LONG_TIMEOUT_MS : SILENCE_TIMEOUT_MS;
  const client = await pool.connect();
  let [begun, isOver]: [Promise<unknown>, boolean] = [Promise.resolve(), false];
  let broken: Error | undefined;
  let firstFault: unknown;
  const tx: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) => {
      // The connection may be somebody else's by now.
      if (isOver) throw new Error('a statement came after the end of its transaction');
      const statement = { text, values: values.map(asParameter), query_timeout: silenceMs, ...options };
      writeAtOnce(client);
      try {
        return rowsOf<R>(await client.query<R>(statement as pg.QueryConfig));
      } catch (error) {
        firstFault ??= error;
        throw error;
      }
    },
  };
  try {
    if (lockWaitMs !== undefined) {
      writeAtOnce(client);
      begun = beginAtOnce(client, lockWaitMs);
    } else await client.query(isSnapshot ? 'begin isolation level repeatable read' : 'begin');
    const result = await work(tx).finally(() => {
      isOver = true;
    });
    await begun;
    await client.query('commit');
    return result;
  } catch (thrown) {
    // What was said along with the one that failed is refused for that, and may be heard of first.
    const error = isAborted(thrown) ? (firstFault ?? thrown) : thrown;
    // A session that is silent, has forgotten its statements or cannot even roll back is thrown away with its transaction.
    if (isSilence(error) || isForgotten(error)) broken = error as Error;
    else {
      await client.query('rollback').catch(reason => {
        broken = reason;
      });
    }
    // What followed a beginning that was refused failed for that reason.
    await begun;
    throw error;
  } finally {
    client.release(broken);
  }
}

/** What is said to the database in one go is written in one go: a write costs the same for little and for much. */
function writeAtOnce({ connection: { stream } }: pg.PoolClient): void {
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/**
 * Begins a transaction and does not wait for it: what is said next is on its way while we go on. Were the beginning refused,
 * that would be carried out with no transaction around it; so a session that is not in ours ends itself before.
 */
function beginAtOnce(client: pg.PoolClient, lockWaitMs: number): Promise<unknown> {
  const begun = Promise.all([
    client.query(
      `begin; set local lock_timeout = ${lockWaitMs}; set local plan_cache_mode = force_generic_plan;
       set local trilho.begun = 'yes'`,
    ),
    client.query({
      name: 'end_unless_begun',
      text: `select pg_terminate_backend(pg_backend_pid()) where current_setting('trilho.begun', true) is distinct from 'yes'`,
    }),
  ]);
  // That nobody waits for it yet is no fault.
  begun.catch(() => {});
  return begun;
}

/** Several statements in one text give several results. */
function rowsOf<R extends Row>(result: pg.QueryResult<R> | pg.QueryResult<R>[]): R[] {
  return Array.isArray(result) ? result.flatMap(({ rows }) => rows) : result.rows;
}
