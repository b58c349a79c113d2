// /livez: the process answers. /readyz: it can serve, that is, the database answers and its schema is in place.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { isMigrated } from '../storage/migrate.ts';

export function healthRoutes(app: FastifyInstance, { db }: { db: Sql }): void {
  app.get('/livez', { schema: { hide: true } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { schema: { hide: true } }, async () => {
    if (!(await isMigrated(db))) throw new AppError('unavailable', 'The database lacks a migration.');
    return { status: 'ok' };
  });
}
