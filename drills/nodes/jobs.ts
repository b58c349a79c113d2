// The jobs that a killed node was running: how long until they continued, on another node or on a new one. Nothing shows which node runs
// a job, but a living node sends heartbeats for its jobs every three seconds: a job without one for three times as long is orphaned.
import { setTimeout as wait } from 'node:timers/promises';
import { QUEUE_SCHEMA } from '../../src/jobs/boss.ts';
import type { Sql } from '../../src/storage/database.ts';
import type { Machine } from '../machine.ts';

type Figures = { count: number; longestMs: number };

type OrphanedJobs = {
  /** Call it right before a kill of the database. */
  databaseKilled(): void;
  /** Separately those during which the database was killed: some may be jobs of living nodes, and have no promise. */
  readonly figures: { readonly promised: Readonly<Figures>; readonly outage: Readonly<Figures> };
  /** Resolves when all of them continued or are too late, with the late ones. */
  end(): Promise<string[]>;
};

type Options = {
  readonly machine: Machine;
  /** Without a node nothing can continue: that time does not count. */
  isAnyNodeUp(): boolean;
};

type Job = {
  readonly name: string;
  readonly id: string;
  /** Its last sign of life, as the database wrote it. */
  readonly heartbeat: string;
};

/** The last sign of life is before the kill, by three seconds at most. */
type Orphan = Job & { readonly sinceMs: number; withoutNodesMs: number; isLate: boolean };

const LOOK_MS = 250;
/** A node takes over a job without a heartbeat for ten seconds: the drill must have seen it before. */
const SILENT_MS = 9_000;
const PROMISED_MS = 30_000;
/** When the database was killed in between. */
const OUTAGE_LIMIT_MS = 120_000;

export function watchOrphanedJobs(db: Sql, { machine, isAnyNodeUp }: Options): OrphanedJobs {
  const orphans = new Map<string, Orphan>();
  const figures = { promised: { count: 0, longestMs: 0 }, outage: { count: 0, longestMs: 0 } };
  const wrong: string[] = [];
  let databaseKilledMs = Number.NEGATIVE_INFINITY;
  let lookedMs = performance.now();
  let isStopped = false;

  function judge(orphan: Orphan, isWaiting: boolean): void {
    const kind = orphan.sinceMs < databaseKilledMs ? 'outage' : 'promised';
    const tookMs = performance.now() - orphan.sinceMs - orphan.withoutNodesMs;
    const limitMs = kind === 'outage' ? OUTAGE_LIMIT_MS : PROMISED_MS + machine.slowestMs(orphan.sinceMs);
    if (tookMs > limitMs && !orphan.isLate) {
      orphan.isLate = true;
      wrong.push(`job ${orphan.name} ${orphan.id} did not continue within ${(limitMs / 1_000).toFixed(1)} s`);
    }
    const figure = figures[kind];
    figure.longestMs = Math.max(figure.longestMs, tookMs);
    if (!isWaiting) figure.count++;
  }

  async function look(): Promise<void> {
    // While the database is down, all of them wait.
    const silent = await readSilent(db, [...orphans.values()]).catch(() => undefined);
    if (!silent) {
      for (const orphan of orphans.values()) judge(orphan, true);
      return;
    }
    const now = performance.now();
    for (const { silentMs, ...job } of silent) {
      const known = orphans.get(keyOf(job));
      if (!known) orphans.set(keyOf(job), { ...job, sinceMs: now - silentMs, withoutNodesMs: 0, isLate: false });
      else if (!isAnyNodeUp()) known.withoutNodesMs += now - lookedMs;
    }
    const waiting = new Set(silent.map(keyOf));
    for (const [key, orphan] of orphans) {
      judge(orphan, waiting.has(key));
      if (!waiting.has(key)) orphans.delete(key);
    }
  }

  async function lookAlways(): Promise<void> {
    while (!isStopped || [...orphans.values()].some(({ isLate }) => !isLate)) {
      await look();
      lookedMs = performance.now();
      await wait(LOOK_MS);
    }
  }

  const looking = lookAlways();
  return {
    databaseKilled: () => {
      databaseKilledMs = performance.now();
    },
    figures,
    end: async () => {
      isStopped = true;
      await looking;
      return wrong;
    },
  };
}

function keyOf({ id, heartbeat }: Job): string {
  return `${id} ${heartbeat}`;
}

/** Running jobs without a heartbeat, and known ones that were taken over and not fetched yet. */
async function readSilent(db: Sql, known: readonly Job[]): Promise<(Job & { readonly silentMs: number })[]> {
  const columns = `j.name, j.id::text, j.heartbeat_on::text as heartbeat,
    (extract(epoch from clock_timestamp() - j.heartbeat_on) * 1000)::float8 as "silentMs"`;
  return db.query(
    `select ${columns} from ${QUEUE_SCHEMA}.job j
      where j.state = 'active' and j.heartbeat_on < clock_timestamp() - $1 * interval '1 millisecond'
     union all
     select ${columns} from ${QUEUE_SCHEMA}.job j
       join unnest($2::text[], $3::uuid[], $4::timestamptz[]) as known (name, id, heartbeat)
         on known.name = j.name and known.id = j.id and known.heartbeat = j.heartbeat_on
      where j.state = 'created'`,
    [SILENT_MS, known.map(({ name }) => name), known.map(({ id }) => id), known.map(({ heartbeat }) => heartbeat)],
  );
}
