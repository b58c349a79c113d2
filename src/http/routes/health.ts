// /livez: the process answers. /readyz: it can serve, that is, the database answers and its schema is in place.
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import { isMigrated } from '../../storage/migrate.ts';

/** A probe has a timeout of its own and repeats soon; this answers before that. */
const READY_LIMIT_MS = 2_000;

const HEALTH = { config: { public: true, isUnlimited: true }, schema: { hide: true } } as const;

export function healthRoutes(app: FastifyInstance, { db }: { db: Sql }): void {
  app.get('/livez', HEALTH, async () => ({ status: 'ok' }));

  let reading: Promise<boolean> | undefined;
  // Nobody needs a key to ask, and no limit holds a probe off: all who ask at once share one look-up.
  const readReadiness = () => {
    reading ??= isMigrated(db).finally(() => {
      reading = undefined;
    });
    return reading;
  };
  app.get('/readyz', HEALTH, async () => {
    const isReady = await Promise.race([readReadiness(), wait(READY_LIMIT_MS, 'silent' as const, { ref: false })]);
    if (isReady === 'silent') throw new AppError('database_unavailable', 'The database does not answer.');
    if (!isReady) throw new AppError('not_configured', 'The database lacks a migration: run trilho migrate.');
    return { status: 'ok' };
  });
}
