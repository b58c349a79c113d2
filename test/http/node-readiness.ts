// Shared by the tests of /readyz.
import assert from 'node:assert/strict';
import { chargeBody } from '../harness/bodies.ts';
import { sessionOn } from '../harness/databases.ts';
import { ASK_AGAIN_MS, type Over, until } from '../harness/process.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** Runs its hooks when the test is over, the last one first: a service stops before its database is dropped. */
export function lastFirst(t: Over): Over {
  const works: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const work of works.reverse()) await work();
  });
  return { after: work => void works.push(work) };
}

/** A service that is stopped with its test. */
export async function serviceOn(t: Over, options: Parameters<typeof startService>[0] = {}): Promise<Service> {
  const service = await startService(options);
  t.after(() => service.stop());
  return service;
}

export const databaseOf = ({ databaseUrl }: Service): string => new URL(databaseUrl).pathname.slice(1);

export const readiness = async ({ get }: Service): Promise<[number, string]> => {
  const { status, json } = await get('/readyz');
  return [status, json.detail ?? json.status];
};

export const untilReady = (service: Service) =>
  until('the node to be ready', async () => (await service.get('/readyz')).status === 200, ASK_AGAIN_MS);

/** An older session may still write, and a successful check is cached for a moment. */
export async function untilReadOnly(service: Service): Promise<void> {
  const isReadOnly = async () => {
    service.clock.advanceMs(1_000);
    const [status, body] = await readiness(service);
    return status === 503 && body === 'The database is read-only.';
  };
  await until('the node to see that its database is read-only', isReadOnly, ASK_AGAIN_MS);
}

export function assertUnavailable({ status, json, headers }: Answer): void {
  assert.deepEqual([status, json.code], [503, 'database_unavailable']);
  assert.ok(Number(headers.get('retry-after')) > 0);
}

/** A batch fails on a locked row, and the single writes after it must not take every connection. */
export async function assertLeavesConnections(
  t: Over,
  service: Service,
  lock: string,
  work: (ids: string[]) => Promise<unknown>[],
): Promise<void> {
  const url = service.databaseUrl;
  const made = await Promise.all(
    Array.from({ length: 30 }, () => service.post('/charges', chargeBody({ methods: ['pix'] }))),
  );
  const session = await sessionOn(t, url);
  await session.query(`begin; ${lock}`);
  let ended = 0;
  const waiting = work(made.map(({ json }) => json.id)).map(one => one.finally(() => ended++));
  // Without the vacuum of the database itself, which may wait, too. Seen from a session of its own: within a transaction,
  // pg_stat_activity stays as it was at the first look.
  const watcher = await sessionOn(t, url);
  const waits = async () => {
    const found = await watcher.query(
      `select from pg_locks join pg_stat_activity using (pid)
        where not granted and backend_type = 'client backend' and datname = current_database()`,
    );
    return found.rowCount ?? 0;
  };
  await until('single writes to wait', async () => (await waits()) >= 4);
  for (let times = 0; times < 10; times++) {
    assert.equal((await service.get('/wallets')).status, 200);
    // Four single writes, and the batches of callers that retried.
    assert.ok((await waits()) <= 6, `${await waits()} writes wait`);
    assert.equal(ended, 0);
  }
  await session.query('rollback');
  await Promise.all(waiting);
}
