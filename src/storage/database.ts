// The database as the service uses it: a pool of connections, whose callers are refused soon when it cannot serve, and transactions
// that are run again when the server asks for it.
import pg from 'pg';
import type { Log } from '../lib/log.ts';
import { currentWorkKind, withoutWorkKind } from '../lib/work-kind.ts';
import { type Call, openCalls } from './calls.ts';
import { connectionShares } from './connection-shares.ts';
import { isLockTimeout, isReadOnly, isWaitedOut } from './faults.ts';
import { lockPatience } from './lock-patience.ts';
import { openPool, serverProcesses } from './pool.ts';
import { asOutage, silent, tooSlow } from './refusals.ts';
import { withRetries } from './retry.ts';
import { watchSilence } from './silence.ts';
import type { Row, Sql, TransactionOptions } from './sql.ts';
import { LOCK_WAITS, type LockWait, stuckOnTables } from './table-locks.ts';
import { rowsOf, runStatement, runTransaction } from './transaction.ts';
import { watchWritability } from './writability.ts';

// A moment is sent in UTC: the machine's own zone has had offsets of odd seconds, and the driver knows only minutes.
pg.defaults.parseInputDatesAsUTC = true;

export type { Row, Sql, TransactionOptions };

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
const PROBE_LIMIT_MS = 2_000;
const PROBE_LIFE_SECONDS = 10;
/** Also the wait for a free connection of the pool. */
const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 10_000;
/** A server that went silent cannot keep its own limit, so the driver has one a little above. */
const SILENCE_TIMEOUT_MS = 12_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;

export function openDatabase({ connection, log, maxConnections = MAX_CONNECTIONS }: Options): Database {
  const settings: pg.PoolConfig = {
    application_name: 'trilho',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
    keepAlive: true,
    // The default of most systems is two hours: so long work without a limit of its own would wait for a machine that vanished.
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    // Statements that do not wait for each other are sent at once; the server still runs them in their order.
    pipeline: true,
    // Moments are read back as they are sent, whatever zone the server lives in.
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
  const pidOf = serverProcesses(pool);
  // What is set for a database, such as that it is read-only, holds for new sessions.
  const probes = openPool({ ...probeSettings, maxLifetimeSeconds: PROBE_LIFE_SECONDS }, log);
  // Stays open: see silence.ts.
  const watcher = openPool({ ...probeSettings, idleTimeoutMillis: 0 }, log);

  const calls = openCalls(() => silence.watch());
  pool.on('connect', calls.noteAnswer);
  const probe: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) => {
      try {
        const rows = rowsOf<R>(await probes.pool.query<R>({ text, values: [...values] }));
        calls.noteAnswer();
        return rows;
      } catch (error) {
        if (isWaitedOut(error)) silence.suspect();
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
    calls,
    probe: async () => (await watcher.pool.query<LockWait>(LOCK_WAITS)).rows,
    isProbeOpen: () => watcher.pool.idleCount > 0,
    onSilence: () => {
      shares.refuseWaiting(silent);
      calls.refuse(silent);
    },
    onAnswer: refuseStuck,
    log,
  });
  const writability = watchWritability(probeSettings, log);

  /** Refuses callers that wait for a locked table. A statement that was sent after the question is not the one that was seen. */
  function refuseStuck(waits: readonly LockWait[], askedMs: number): void {
    const stuck = stuckOnTables(waits);
    if (stuck.size === 0) return;
    const isStuck = ({ client, sinceMs }: { client: pg.PoolClient | undefined; sinceMs: number }) =>
      sinceMs <= askedMs && stuck.has(pidOf(client) ?? 0);
    const kinds = new Set(
      calls
        .waiting()
        .filter(isStuck)
        .map(({ kind }) => kind),
    );
    // The next of their kind get a short limit for locks.
    for (const kind of kinds) patience.lose(kind);
    calls.refuse(tooSlow, isStuck);
  }

  /** Asked before the wait for a connection: those that are taken hang until their limit. */
  async function inTurn<T>(work: (call: Call, lockTimeoutMs: number | undefined) => Promise<T>): Promise<T> {
    if (silence.isOn()) throw silent();
    const kind = currentWorkKind();
    let setAside = () => {};
    const run = (call: Call) =>
      shares.run(kind, aside => {
        setAside = aside;
        return patience.run(kind, lockTimeoutMs => work(call, lockTimeoutMs));
      });
    return calls.run(kind, run, () => setAside());
  }

  /** `handlesLockTimeout`: the caller set a limit for locks and gets that error as it is. */
  async function attempt<T>(call: Call, work: () => Promise<T>, handlesLockTimeout = false): Promise<T> {
    try {
      // A session of another server may take writes; once none did, each caller would open several in vain.
      return await withRetries(call, work, error => isReadOnly(error) && writability.whyNot() !== undefined);
    } catch (error) {
      if (isWaitedOut(error)) silence.suspect();
      writability.note(error);
      throw handlesLockTimeout && isLockTimeout(error) ? error : asOutage(error);
    }
  }

  const listeners = new Map<string, (() => void)[]>();

  return {
    query: <R extends Row>(text: string, values: readonly unknown[] = [], options = {}) =>
      inTurn((call, lockTimeoutMs) =>
        attempt(call, () => {
          // The limit can be set for a transaction only.
          if (lockTimeoutMs !== undefined)
            return runTransaction(pool, call, tx => tx.query<R>(text, values, options), { lockTimeoutMs });
          return runStatement<R>(pool, call, { text, values: [...values], ...options });
        }),
      ),

    transaction: async (work, options = {}) => {
      const channels = new Set<string>();
      const run = (call: Call, lockTimeoutMs: number | undefined) => {
        channels.clear();
        const limited = { lockTimeoutMs, ...options };
        return runTransaction(
          pool,
          call,
          tx => work({ ...tx, notify: channel => void channels.add(channel) }),
          limited,
        );
      };
      // A statement outside the transaction, made by its work, must not wait for the end of others like it.
      const result = await inTurn((call, lockTimeoutMs) =>
        withoutWorkKind(() => attempt(call, () => run(call, lockTimeoutMs), options.lockTimeoutMs !== undefined)),
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
    whyUnwritable: writability.whyNot,
    tryToWrite: writability.tryToWrite,

    close: async () => {
      await Promise.all([silence.stop(), close(), probes.close(), watcher.close()]);
    },
  };
}
