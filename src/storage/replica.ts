// Reads lists and exports from a replica while its lag is small, otherwise from the primary. The age of an answer is read in the snapshot
// of the answer itself: docs/decisions/0050-read-replicas.md.
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, isOutage } from '../lib/errors.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import { createLog, type Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import { type Database, openDatabase, type Sql } from './database.ts';
import { requireCopyOf, requireReplicaSession } from './replica-check.ts';
import { leaveMark, readMark, type SeenMark } from './replica-marks.ts';

export type Replica = {
  /** Runs `work`, which only reads, on the replica, or on the primary when the replica is away or too far behind. */
  read<T>(work: (db: Sql) => Promise<T>, options?: ReadOptions): Promise<ReplicaRead<T>>;
  /** The present lag of the replica: 0 without a replica, infinite when it does not answer. */
  lagMs(): number;
  stop(): Promise<void>;
};

type ReadOptions = {
  /** The replica must show at least this moment. */
  readonly notBefore?: Date | undefined;
};

type ReplicaRead<T> = {
  readonly value: T;
  /** The answer has everything committed before this moment; absent when the primary answered. */
  readonly asOf?: Date;
};

/** Where a list was read, and why not on the replica. */
export const REPLICA_OUTCOMES = ['replica', 'behind', 'away'] as const;
export type ReplicaOutcome = (typeof REPLICA_OUTCOMES)[number];

type Deps = {
  readonly db: Sql;
  readonly log: Log;
  readonly heartbeats: Heartbeats;
  readonly observeReplicaRead: (outcome: ReplicaOutcome) => void;
};

type Settings = { readonly url: string; readonly maxLagMs: number };

const MARK_EVERY_MS = 1_000;
/** How long to wait for the replica; after that the primary still has to answer. */
const READ_LIMIT_MS = 3_000;

/** Without a log: its lines would seem to be about the primary. */
const noLog = createLog('silent', { write: () => {} });

/** Everything from the primary. */
export function noReplica({ db }: { readonly db: Sql }): Replica {
  return { read: async work => ({ value: await work(db) }), lagMs: () => 0, stop: async () => {} };
}

/** Connects on first use. */
export function openReplicaDatabase(url: string): Database {
  return openDatabase({ connection: { connectionString: url, statement_timeout: READ_LIMIT_MS }, log: noLog });
}

/** Refuses a server with another database, and a pooler that changes sessions. An unavailable one is used once it answers. */
export async function startReplica(deps: Deps, { url, maxLagMs }: Settings): Promise<Replica> {
  const { db, log, heartbeats, observeReplicaRead } = deps;
  const replica = openReplicaDatabase(url);
  /** The time of the primary, and when it was read, by a monotonic clock. */
  let asked = { primaryNow: new Date(0), atMs: 0 };
  /** The last mark that the replica showed; undefined when it does not answer. */
  let seen: SeenMark | undefined;
  /** Marks from before this start may come from a schema that lacks a migration. */
  let startedAt: Date | undefined;
  let wasUsable: boolean | undefined;

  const ageMs = ({ markedAt }: SeenMark) =>
    Math.max(0, asked.primaryNow.getTime() - markedAt.getTime() + performance.now() - asked.atMs);

  function isUsable(mark: SeenMark | undefined, notBefore = startedAt): mark is SeenMark {
    if (!mark?.isStandby || startedAt === undefined || notBefore === undefined) return false;
    return mark.markedAt >= startedAt && mark.markedAt >= notBefore && ageMs(mark) <= maxLagMs;
  }

  async function look(): Promise<void> {
    const atMs = performance.now();
    asked = { primaryNow: await leaveMark(db), atMs };
    seen = await readMark(replica.probe).catch(() => undefined);
    const usable = isUsable(seen);
    if (usable !== wasUsable) tell(usable);
    wasUsable = usable;
    startedAt ??= asked.primaryNow;
  }

  function tell(usable: boolean): void {
    if (usable) log.info('lists and exports are read from the replica');
    else if (!seen) log.warn('the replica does not answer; lists are read from the primary until it does');
    else if (!seen.isStandby) log.warn('DATABASE_READ_URL is not a standby; lists are read from the primary');
    else if (wasUsable) log.warn('the replica is too far behind; lists are read from the primary until it catches up');
  }

  /** Undefined: the replica is too far behind. */
  async function readReplica<T>(work: (db: Sql) => Promise<T>, notBefore?: Date): Promise<ReplicaRead<T> | undefined> {
    const reading = replica.transaction(
      async tx => {
        // In the same snapshot: there may be several replicas behind one address.
        const mark = await readMark(tx);
        return isUsable(mark, notBefore) ? { value: await work(tx), asOf: mark.markedAt } : undefined;
      },
      { isSnapshot: true },
    );
    const limit = new AbortController();
    const late = wait(READ_LIMIT_MS, undefined, { signal: limit.signal, ref: false }).then(() => {
      throw new AppError('database_timeout', 'The replica did not answer in time.');
    });
    try {
      return await Promise.race([reading, late]);
    } finally {
      limit.abort();
      late.catch(() => {});
      reading.catch(() => {});
    }
  }

  async function read<T>(work: (db: Sql) => Promise<T>, { notBefore }: ReadOptions = {}): Promise<ReplicaRead<T>> {
    let outcome: ReplicaOutcome = seen?.isStandby ? 'behind' : 'away';
    if (isUsable(seen, notBefore)) {
      try {
        const found = await readReplica(work, notBefore);
        if (found) {
          observeReplicaRead('replica');
          return found;
        }
      } catch (error) {
        if (!isOutage(error)) throw error;
        outcome = 'away';
      }
    }
    observeReplicaRead(outcome);
    return { value: await work(db) };
  }

  try {
    await requireCopyOf(db, replica.probe);
    await requireReplicaSession(replica.probe, url);
    await look();
  } catch (error) {
    await replica.close();
    throw error;
  }
  const loop = startLoop({ name: 'measuring the replica', task: look, pauseMs: MARK_EVERY_MS, heartbeats, log });
  return {
    read,
    lagMs: () => (seen?.isStandby ? ageMs(seen) : Number.POSITIVE_INFINITY),
    stop: async () => {
      await loop.stop();
      await replica.close();
    },
  };
}
