// /readyz: when this node can serve, and why not.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { asAdmin, createDatabase, databaseUrl, sessionOn, TEMPLATE, type TestDatabase } from '../harness/databases.ts';
import { orderDriver } from '../harness/orders.ts';
import { ASK_AGAIN_MS, type Over, ownFolder, startDatabaseServer, until } from '../harness/process.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** What is left with it is done when the test is over, the last first: a service stops before its database goes. */
function lastFirst(t: Over): Over {
  const works: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const work of works.reverse()) await work();
  });
  return { after: work => void works.push(work) };
}

/** A service that is stopped with its test. */
async function serviceOn(t: Over, options: Parameters<typeof startService>[0] = {}): Promise<Service> {
  const service = await startService(options);
  t.after(() => service.stop());
  return service;
}

async function ownDatabase(t: Over): Promise<TestDatabase> {
  const database = await createDatabase();
  t.after(() => database.drop());
  return database;
}

const readiness = async ({ get }: Service): Promise<[number, string]> => {
  const { status, json } = await get('/readyz');
  return [status, json.detail ?? json.status];
};

const untilReady = (service: Service) =>
  until('the node to be ready', async () => (await service.get('/readyz')).status === 200, ASK_AGAIN_MS);

function assertUnavailable({ status, json, headers }: Answer): void {
  assert.deepEqual([status, json.code], [503, 'database_unavailable']);
  assert.ok(Number(headers.get('retry-after')) > 0);
}

test('a read-only database is not ready, until it can be written', async context => {
  const t = lastFirst(context);
  const { url } = await ownDatabase(t);
  const name = new URL(url).pathname.slice(1);
  const service = await serviceOn(t, { env: { DATABASE_URL: url } });
  await asAdmin(`alter database ${name} set default_transaction_read_only = on`);
  assert.deepEqual(await readiness(service), [503, 'The database is read-only.']);
  await asAdmin(`alter database ${name} reset default_transaction_read_only`);
  await untilReady(service);
});

test('a write that is refused as read-only counts, whatever the session of /readyz may do', async context => {
  const t = lastFirst(context);
  const { url } = await ownDatabase(t);
  const name = new URL(url).pathname.slice(1);
  const service = await serviceOn(t, { env: { DATABASE_URL: url } });
  assert.equal((await service.post('/charges', chargeBody())).status, 201);
  assert.equal((await service.get('/readyz')).status, 200);
  await asAdmin(`alter database ${name} set default_transaction_read_only = on`);
  // The sessions that write are opened anew; the one of /readyz stays as it was.
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity
                  where datname = '${name}' and query !~ 'schema_migrations|pg_is_in_recovery'`);
  const refused = await service.post('/charges', chargeBody({ externalId: 'read-only' }));
  assertUnavailable(refused);
  assert.match(refused.json.detail, /read-only/);
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await readiness(service), [503, 'The database is read-only.']);
  }
  await asAdmin(`alter database ${name} reset default_transaction_read_only`);
  await untilReady(service);
  assert.equal((await service.post('/charges', chargeBody({ externalId: 'read-only' }))).status, 201);
});

test('a good check of the database stands for others for a quarter of a second, a bad one for none', async context => {
  const t = lastFirst(context);
  const { url } = await ownDatabase(t);
  const service = await serviceOn(t, { env: { DATABASE_URL: url } });
  const session = await sessionOn(t, url);
  assert.equal((await service.get('/readyz')).status, 200);
  await session.query('alter table schema_migrations rename to elsewhere');
  assert.equal((await service.get('/readyz')).status, 200);
  service.clock.advanceMs(250);
  assert.notEqual((await service.get('/readyz')).status, 200);
  await session.query('alter table elsewhere rename to schema_migrations');
  assert.equal((await service.get('/readyz')).status, 200);
});

test('a standby is not ready', async context => {
  const t = lastFirst(context);
  const folder = await ownFolder(t);
  const server = await startDatabaseServer(folder);
  const service = await serviceOn(t, { env: { DATABASE_URL: server.url() } });
  assert.equal((await service.get('/readyz')).status, 200);
  await server.stop();
  const signal = path.join(folder, 'server', 'postgres', 'standby.signal');
  await writeFile(signal, '', { mode: 0o644 });
  await server.start();
  const isStandby = async () => {
    service.clock.advanceMs(1_000);
    return /standby/.test((await readiness(service))[1]);
  };
  await until('the node to see that its database is a standby', isStandby, ASK_AGAIN_MS);
  assertUnavailable(await service.get('/readyz'));
});

/** A small disk of its own, for a tablespace; undefined where this user may not mount one. */
async function smallDisk(t: Over): Promise<string | undefined> {
  const disk = await ownFolder(t);
  const options = ['-t', 'tmpfs', '-o', 'size=48m,mode=755', 'tmpfs', disk];
  if (spawnSync('mount', options, { stdio: 'ignore' }).status !== 0) return undefined;
  t.after(async () => {
    execFileSync('umount', ['--lazy', disk]);
  });
  return disk;
}

test('a full disk is not ready, until a write succeeds', async context => {
  const t = lastFirst(context);
  const disk = await smallDisk(t);
  if (disk === undefined) return context.skip('this user may not mount a small disk');
  const place = path.join(disk, 'tablespace');
  mkdirSync(place, { mode: 0o700 });
  const { uid, gid } = statSync(process.env['TEST_SOCKET_DIR']!);
  chownSync(place, uid, gid);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(`create tablespace ${name} location '${place}'`);
  t.after(() => asAdmin(`drop tablespace ${name}`));
  await asAdmin(`create database ${name} template ${TEMPLATE} strategy file_copy tablespace ${name}`);
  t.after(() => asAdmin(`drop database ${name} with (force)`));
  const service = await serviceOn(t, { env: { DATABASE_URL: databaseUrl(name) } });
  assert.equal((await service.get('/readyz')).status, 200);

  const filler = path.join(disk, 'filler');
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { stdio: 'ignore' });
  const refused = await service.post('/charges', chargeBody());
  assertUnavailable(refused);
  assert.match(refused.json.detail, /disk is full/);
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await readiness(service), [503, 'The database cannot be written: its disk is full.']);
  }
  await rm(filler);
  assert.equal((await service.get('/readyz')).status, 200);
  assert.equal((await service.post('/charges', chargeBody())).status, 201);
});

/** Other tests use the same server. */
const WAITING = `
  select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database() where not l.granted`;

test('a background loop that hangs is named', async context => {
  const t = lastFirst(context);
  const { url } = await ownDatabase(t);
  const service = await serviceOn(t, { env: { DATABASE_URL: url }, work: true });
  assert.deepEqual((await service.get('/readyz')).json, { status: 'ok' });
  const { json: detail } = await service.get('/readyz?verbose');
  assert.ok(
    detail.loops.some(({ name }: { name: string }) => name === 'sealing the audit log'),
    JSON.stringify(detail),
  );
  assert.ok(detail.loops.some(({ name }: { name: string }) => name === 'comparing days with the banks'));
  const { text: metrics } = await service.get('/metrics');
  assert.match(metrics, /trilho_loop_heartbeat_age_seconds\{loop="sealing the audit log"\} \d/);
  const session = await sessionOn(t, url);
  await session.query('begin; lock table audit_inbox in access exclusive mode');
  const waits = async () => (await session.query(WAITING)).rowCount;
  await until('a loop to wait for the table', waits);
  // A clock that is set says nothing about loops.
  service.clock.advanceMs(10 * 60_000);
  assert.deepEqual(await readiness(service), [200, 'ok']);
  service.clock.advanceMs(-20 * 60_000);
  const isNamed = async () => {
    service.advanceUptimeMs(10 * 60_000);
    return /«sealing the audit log».* stopped/.test((await readiness(service))[1]);
  };
  await until('the loop to be named', isNamed, ASK_AGAIN_MS);
  await session.query('rollback');
  await untilReady(service);
});

test('a background loop that fails is told from one that works', async context => {
  const t = lastFirst(context);
  const service = await serviceOn(t, { work: true });
  const names = (await service.get('/readyz?verbose')).json.loops.map(({ name }: { name: string }) => name);
  for (const noun of ['charges', 'orders', 'payouts', 'claims'])
    assert.ok(names.includes(`handling timers of ${noun}`));
  assert.equal(new Set(names).size, names.length);
  await service.sql('alter table audit_inbox rename to elsewhere');
  const failing = async () => {
    const { loops } = (await service.get('/readyz?verbose')).json;
    return loops.find(({ name, failures }: { name: string; failures: number }) => /sealing/.test(name) && failures > 0);
  };
  await until('the loop to fail', failing, ASK_AGAIN_MS);
  service.advanceUptimeMs(60_000);
  const failures = (await failing()).failures;
  await until('it to fail again', async () => (await failing()).failures > failures, ASK_AGAIN_MS);
  const loop = await failing();
  assert.deepEqual([loop.lastRunSecondsAgo, loop.lastSuccessSecondsAgo], [0, 60]);
  const { text } = await service.get('/metrics');
  assert.match(text, /^trilho_loop_failures_total\{loop="sealing the audit log"\} [1-9]\d*$/m);
  assert.match(text, /^trilho_loop_success_age_seconds\{loop="sealing the audit log"\} 60$/m);
  assert.match(text, /^trilho_loop_failures_total\{loop="merging list counts"\} 0$/m);
  assert.deepEqual(await readiness(service), [200, 'ok']);
  await service.sql('alter table elsewhere rename to audit_inbox');
});

test('a locked table does not take the whole pool, whatever needs it: other requests and /readyz are answered', async context => {
  const t = lastFirst(context);
  const { url } = await ownDatabase(t);
  const service = await serviceOn(t, { env: { DATABASE_URL: url } });
  const { id } = (await service.post('/charges', chargeBody())).json;
  const session = await sessionOn(t, url);
  await session.query('begin; lock table charges in access exclusive mode');
  const requests = [
    () => service.get(`/charges/${id}`),
    () => service.get('/charges'),
    () => service.get(`/charges/${id}/amount?on=2026-12-12`),
    () => service.post(`/charges/${id}/cancel`, {}),
    () => service.post(`/charges/${id}/refunds`, {}),
    () => service.post(`/charges/${id}/payments`, { amountCents: 15_990, reference: 'seen at the bank' }),
    () => service.post('/charges', chargeBody()),
  ];
  const waiting = requests.flatMap(send => Array.from({ length: 10 }, send));
  const waits = async () => (await session.query(WAITING)).rowCount ?? 0;
  // Those that are refused leave their connections hanging.
  await until('all kinds to wait for the table', async () => (await waits()) >= 12);
  for (let times = 0; times < 10; times++) {
    assert.equal((await service.get('/readyz')).status, 200);
    assert.equal((await service.get('/wallets')).status, 200);
  }
  assert.ok(await orderDriver(service).wallet('polygon'));
  for (const { status, json, headers } of await Promise.all(waiting)) {
    // A caller that waited for a connection to its limit is told so.
    assert.ok(['database_timeout', 'overloaded'].includes(json.code), json.code);
    assert.deepEqual([status, Number(headers.get('retry-after')) > 0], [503, true]);
  }
  await session.query('rollback');
  assert.equal((await service.get(`/charges/${id}`)).status, 200);
});

/** A batch fails for what is locked, and the single writes after it must not take every connection. */
async function assertLeavesConnections(
  t: Over,
  lock: string,
  work: (service: Service, ids: string[]) => Promise<unknown>[],
) {
  const { url } = await ownDatabase(t);
  const service = await serviceOn(t, { env: { DATABASE_URL: url } });
  const made = await Promise.all(
    Array.from({ length: 30 }, () => service.post('/charges', chargeBody({ methods: ['pix'] }))),
  );
  const session = await sessionOn(t, url);
  await session.query(`begin; ${lock}`);
  let ended = 0;
  const waiting = work(
    service,
    made.map(({ json }) => json.id),
  ).map(one => one.finally(() => ended++));
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
    assert.ok((await waits()) <= 4, `${await waits()} writes of one kind wait`);
    assert.equal(ended, 0);
  }
  await session.query('rollback');
  await Promise.all(waiting);
}

test('payments that wait for their charges do not take the whole pool', async context => {
  const pay = ({ post }: Service, ids: string[]) =>
    ids.map(async (id, place) => {
      const report = { amountCents: 15_990, reference: `seen ${place}` };
      let answer = await post(`/charges/${id}/payments`, report);
      // On a slow machine the lock outlasts a caller's patience: such a caller is told to try again, and does.
      while (answer.status === 503) answer = await post(`/charges/${id}/payments`, report);
      assert.equal(answer.status, 201, answer.text);
    });
  await assertLeavesConnections(lastFirst(context), 'select from charges for update', pay);
});

test('decisions of rails that wait for their charges do not take the whole pool', async context => {
  // Registering a charge writes no event; the decision about it does.
  const lock = 'lock table events in exclusive mode';
  await assertLeavesConnections(lastFirst(context), lock, service => [service.runJobs()]);
});
