// Jobs in a backup. The tables of pg-boss belong to its release, so a backup has only each job's content, and a restore enqueues it.
import type { ExtraSource } from '../storage/backup/dump.ts';
import type { ExtraTarget } from '../storage/backup/load.ts';
import type { Sql } from '../storage/database.ts';
import { QUEUE_SCHEMA } from './boss.ts';
import type { SavedJob } from './job.ts';
import type { Queue } from './queue.ts';

const NAME = 'waiting_jobs';

/**
 * Waiting and running jobs; a job that runs during the backup runs again after the restore. Empty before the first start of the service,
 * which creates the queue.
 */
export async function jobsToSave(sql: Sql): Promise<ExtraSource[]> {
  const [found] = await sql.query<{ name: string | null }>(`select to_regclass('${QUEUE_SCHEMA}.job')::text as name`);
  if (!found?.name) return [];
  const from = `(select id, name, data, start_after from ${QUEUE_SCHEMA}.job where state < 'completed') ${NAME}`;
  return [{ name: NAME, columns: ['id', 'name', 'data', 'start_after'], from }];
}

export function jobsToRestore(queue: Queue): ExtraTarget {
  return { name: NAME, load: (tx, rows) => queue.restore(tx, rows.map(toJob)) };
}

function toJob([id, name, data, startAfter]: readonly (string | null)[]): SavedJob {
  return { id: id ?? '', name: name ?? '', data: JSON.parse(data ?? '{}'), startAfter: new Date(startAfter ?? 0) };
}
