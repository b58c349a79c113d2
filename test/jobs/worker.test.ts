// Jobs as workers run them: each settled when it ends, retried when its worker has died, and not a failure when it only waits.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { defineJob, handleJob, type JobHandler } from '../../src/jobs/job.ts';
import { type Queue, startQueue } from '../../src/jobs/queue.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';

const NUMBERED = defineJob<{ readonly chargeId: string }>('test.numbered');
const kinds = [NUMBERED];

let database: TestDatabase;
let db: Database;
const { log, lines } = recordingLog();
before(async () => {
  database = await createDatabase();
  db = openDatabase({ connection: { connectionString: database.url }, log });
});
after(async () => {
  await db.close();
  await database.drop();
});

async function withWorker(handler: JobHandler, work: (queue: Queue) => Promise<void>): Promise<void> {
  const queue = await startQueue({ db, log, kinds });
  queue.work([handler]);
  try {
    await work(queue);
  } finally {
    await queue.stop();
  }
}

const enqueue = (queue: Queue, ids: readonly string[]) =>
  db.transaction(tx =>
    queue.enqueue(
      tx,
      NUMBERED,
      ids.map(chargeId => ({ chargeId })),
    ),
  );

async function unfinished(): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from pgboss.job where name = $1 and state <> 'completed'`,
    [NUMBERED.name],
  );
  return row!.count;
}

test('a long job delays neither those that were fetched with it nor later ones', async () => {
  const bank = Promise.withResolvers<void>();
  const done: string[] = [];
  const handler = handleJob(NUMBERED, async ({ chargeId }) => {
    if (chargeId === 'slow') await bank.promise;
    done.push(chargeId);
    return 'done';
  });
  await withWorker(handler, async queue => {
    await enqueue(queue, ['a', 'slow', 'b']);
    await until('the other jobs', () => done.length === 2);
    await enqueue(queue, ['c']);
    await until('a later job', () => done.includes('c'));
    await until('all but the slow one to be settled', async () => (await unfinished()) === 1);
    bank.resolve();
    await until('the slow one', () => done.includes('slow'));
  });
  assert.equal(await unfinished(), 0);
  assert.deepEqual(done.toSorted(), ['a', 'b', 'c', 'slow']);
});

test('a job that waits for a rail or a chain runs again and is not a failure; one that throws is logged with its ids', async () => {
  lines.length = 0;
  const runs = new Map<string, number>();
  const handler = handleJob(NUMBERED, async ({ chargeId }) => {
    const run = (runs.get(chargeId) ?? 0) + 1;
    runs.set(chargeId, run);
    if (run > 1) return 'done';
    if (chargeId === 'broken') throw new Error('it broke');
    return 'postponed';
  });
  const queue = await startQueue({ db, log, kinds });
  try {
    await enqueue(queue, ['waiting', 'broken']);
    for (let round = 0; round < 2; round++) await queue.runDue([handler]);
  } finally {
    await queue.stop();
  }
  assert.deepEqual(Object.fromEntries(runs), { waiting: 2, broken: 2 });
  const failures = lines.map(line => JSON.parse(line)).filter(({ msg }) => /failed/.test(msg));
  assert.deepEqual(
    failures.map(({ job, chargeId }) => [job, chargeId]),
    [[NUMBERED.name, 'broken']],
  );
  assert.equal(await unfinished(), 0);
});

test('a job is written with its transaction or not at all', async () => {
  const queue = await startQueue({ db, log, kinds });
  try {
    const undone = db.transaction(async tx => {
      await queue.enqueue(tx, NUMBERED, [{ chargeId: 'undone' }]);
      throw new Error('roll back');
    });
    await assert.rejects(undone, /roll back/);
    assert.equal(await unfinished(), 0);
  } finally {
    await queue.stop();
  }
});

test('a job whose node dies in a late try is due at once, and keeps its number of tries', async () => {
  const attempts = 5;
  const dead = Promise.withResolvers<void>();
  let runs = 0;
  // The last try never ends and sends no heartbeat, like that of a killed node.
  const handler = handleJob(NUMBERED, async () => {
    if (++runs === attempts) await dead.promise;
    return 'postponed';
  });
  const queue = await startQueue({ db, log, kinds });
  let dying: Promise<unknown> | undefined;
  try {
    await enqueue(queue, ['late']);
    for (let round = 1; round < attempts; round++) await queue.runDue([handler]);
    dying = queue.runDue([handler]);
    await until('the last attempt', () => runs === attempts);
    // A worker takes only what is due.
    await db.query(
      `update pgboss.job set start_after = now(), heartbeat_on = now() - interval '1 minute'
        where name = $1 and state = 'active'`,
      [NUMBERED.name],
    );
    const job = await until('the job to be taken over', async () => {
      const [row] = await db.query<{ is_due: boolean; retry_count: number }>(
        `select start_after <= now() as is_due, retry_count from pgboss.job where name = $1 and state < 'active'`,
        [NUMBERED.name],
      );
      return row;
    });
    assert.deepEqual(job, { is_due: true, retry_count: attempts - 1 });
    await withWorker(
      handleJob(NUMBERED, async () => 'done'),
      () => until('another node to end it', async () => (await unfinished()) === 0).then(() => {}),
    );
    dead.resolve();
    await dying;
    assert.equal(await unfinished(), 0);
  } finally {
    dead.resolve();
    await dying;
    await queue.stop();
  }
});
