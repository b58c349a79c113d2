// /livez: the process answers. /readyz: it can serve, that is, the database answers, is writable and has its schema, the loops run, and
// the clock is right.
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { type Heartbeats, hasStopped } from '../../lib/heartbeats.ts';
import type { Database } from '../../storage/database.ts';
import type { DatabaseClock } from '../../storage/database-clock.ts';
import { isMigrated } from '../../storage/migrate.ts';

type HealthDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly heartbeats: Heartbeats;
  readonly databaseClock: Pick<DatabaseClock, 'offsetMs'>;
};

/** Shorter than the limits of the database's probe, so that a silent database always gets the same answer. */
const READY_LIMIT_MS = 1_500;
/** The offset is corrected, but a clock that is so far off may get worse. */
const MAX_OFFSET_MS = 30_000;

/** How long a good check of the database is reused: a flood of probes costs four checks a second. */
const SHARED_MS = 250;

const HEALTH = { config: { isUnlimited: true }, schema: { hide: true } } as const;
const SILENT = 'The database does not answer.';

export function healthRoutes(app: FastifyInstance, deps: HealthDeps): void {
  app.get('/livez', HEALTH, async () => ({ status: 'ok' }));

  let checking: Promise<void> | undefined;
  let goodAt: Date | undefined;
  const isShared = () => {
    const ageMs = goodAt === undefined ? SHARED_MS : deps.clock.now().getTime() - goodAt.getTime();
    return ageMs >= 0 && ageMs < SHARED_MS;
  };
  const shown = ({ url }: FastifyRequest) => ({ status: 'ok', ...(/[?&]verbose\b/.test(url) && detailOf(deps)) });
  app.get('/readyz', HEALTH, async request => {
    checkNode(deps);
    // A failed write is better evidence than an earlier check.
    if (isShared() && deps.db.whyUnwritable() === undefined) return shown(request);
    // One check at a time: probes that come meanwhile share it.
    checking ??= checkDatabase(deps.db)
      .then(() => {
        goodAt = deps.clock.now();
      })
      .finally(() => {
        checking = undefined;
      });
    const late = wait(READY_LIMIT_MS, 'late' as const, { ref: false });
    if ((await Promise.race([checking, late])) === 'late') throw new AppError('database_unavailable', SILENT);
    return shown(request);
  });
}

function checkNode({ heartbeats, databaseClock }: HealthDeps): void {
  const stopped = heartbeats.list().filter(hasStopped);
  if (stopped.length > 0) {
    const names = stopped.map(({ name }) => `«${name}»`).join(', ');
    const forms = stopped.length === 1 ? ['loop', 'has'] : ['loops', 'have'];
    throw new AppError('not_ready', `The background ${forms[0]} ${names} ${forms[1]} stopped.`);
  }
  const offsetMs = Math.abs(databaseClock.offsetMs());
  if (offsetMs > MAX_OFFSET_MS) {
    const offsetSeconds = Math.round(offsetMs / 1000);
    throw new AppError('not_ready', `The clock of this machine is ${offsetSeconds} s off the database's.`);
  }
}

/** Details of a ready node, for people. */
function detailOf({ heartbeats, databaseClock }: HealthDeps) {
  const seconds = (ms: number) => Math.round(ms / 1000);
  const loops = heartbeats.list().map(({ name, ageMs, successAgeMs, failures, limitMs }) => ({
    name,
    lastRunSecondsAgo: seconds(ageMs),
    lastSuccessSecondsAgo: seconds(successAgeMs),
    failures,
    ...(Number.isFinite(limitMs) && { limitSeconds: seconds(limitMs) }),
  }));
  return { clockOffsetMs: databaseClock.offsetMs(), loops };
}

/** On its own connections: it answers even while other work holds every connection of the pool. */
async function checkDatabase(db: Database): Promise<void> {
  const [row] = await db.probe.query<{ is_standby: boolean; is_read_only: boolean }>(
    `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`,
  );
  if (row?.is_standby) throw new AppError('database_unavailable', 'The database is a standby and cannot be written.');
  if (row?.is_read_only) throw new AppError('database_unavailable', 'The database is read-only.');
  if (!(await isMigrated(db.probe))) {
    throw new AppError('not_configured', 'The database lacks a migration: run trilho migrate.');
  }
  if (db.whyUnwritable() !== undefined) await db.tryToWrite();
}
