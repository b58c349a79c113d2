// /readyz: when this node can serve, and why not. A standby, a full disk and waits of many seconds are in readiness.deep.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { asAdmin, sessionOn } from '../harness/databases.ts';
import { ASK_AGAIN_MS, until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';
import {
  assertLeavesConnections,
  assertUnavailable,
  databaseOf,
  lastFirst,
  readiness,
  serviceOn,
  untilReadOnly,
  untilReady,
} from './node-readiness.ts';

let shared: Service;
before(async () => {
  shared = await startService();
});
after(() => shared.stop());

test('a read-only database is not ready, until it can be written', async t => {
  const service = await serviceOn(t);
  const name = databaseOf(service);
  // A setting of a database applies to new sessions.
  const endSessions = () => asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  await asAdmin(`alter database ${name} set default_transaction_read_only = on`);
  await endSessions();
  await untilReadOnly(service);
  await asAdmin(`alter database ${name} reset default_transaction_read_only`);
  await endSessions();
  await untilReady(service);
});

test('a write that is refused as read-only counts, also if the session of /readyz may write', async t => {
  const service = await serviceOn(t);
  const name = databaseOf(service);
  assert.equal((await service.post('/charges', chargeBody())).status, 201);
  assert.equal((await service.get('/readyz')).status, 200);
  await asAdmin(`alter database ${name} set default_transaction_read_only = on`);
  // The sessions that write are reopened; the one of /readyz is unchanged.
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

test('a successful check of the database is cached for a quarter of a second, a failed one is not', async t => {
  const service = shared;
  const session = await sessionOn(t, service.databaseUrl);
  assert.equal((await service.get('/readyz')).status, 200);
  await session.query('alter table schema_migrations rename to elsewhere');
  assert.equal((await service.get('/readyz')).status, 200);
  service.clock.advanceMs(250);
  assert.notEqual((await service.get('/readyz')).status, 200);
  await session.query('alter table elsewhere rename to schema_migrations');
  assert.equal((await service.get('/readyz')).status, 200);
});

/** Other tests use the same server. */
const WAITING = `
  select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database() where not l.granted`;

test('a background loop that hangs is named', async context => {
  const t = lastFirst(context);
  const service = await serviceOn(t, { work: true });
  assert.deepEqual((await service.get('/readyz')).json, { status: 'ok' });
  const { json: detail } = await service.get('/readyz?verbose');
  const isSealing = ({ name }: { name: string }) => name === 'sealing the audit log';
  assert.ok(detail.loops.some(isSealing), JSON.stringify(detail));
  assert.ok(detail.loops.some(({ name }: { name: string }) => name === 'comparing days with the banks'));
  const { text: metrics } = await service.get('/metrics');
  assert.match(metrics, /trilho_loop_heartbeat_age_seconds\{loop="sealing the audit log"\} \d/);
  const session = await sessionOn(t, service.databaseUrl);
  await session.query('begin; lock table audit_seal in access exclusive mode');
  // Something to seal.
  assert.equal((await service.post('/charges', chargeBody())).status, 201);
  const waits = async () => (await session.query(WAITING)).rowCount;
  await until('a loop to wait for the table', waits);
  // A changed clock does not affect loops.
  service.clock.advanceMs(10 * 60_000);
  assert.deepEqual(await readiness(service), [200, 'ok']);
  service.clock.advanceMs(-20 * 60_000);
  // Only as long as needed: loops with longer pauses do not count as stopped.
  const limitMs = (detail.loops.find(isSealing).limitSeconds + 1) * 1_000;
  const isNamed = async () => {
    service.advanceUptimeMs(limitMs);
    return /«sealing the audit log».* stopped/.test((await readiness(service))[1]);
  };
  await until('the loop to be named', isNamed, ASK_AGAIN_MS);
  await session.query('rollback');
  await untilReady(service);
});

test('a failing background loop is distinguished from a working one', async t => {
  const service = await serviceOn(t, { work: true });
  const names = (await service.get('/readyz?verbose')).json.loops.map(({ name }: { name: string }) => name);
  for (const noun of ['charges', 'orders', 'payouts', 'claims'])
    assert.ok(names.includes(`handling timers of ${noun}`));
  assert.equal(new Set(names).size, names.length);
  const charge = async () => assert.equal((await service.post('/charges', chargeBody())).status, 201);
  await service.sql('alter table audit_seal rename to elsewhere');
  await charge();
  const failing = async () => {
    const { loops } = (await service.get('/readyz?verbose')).json;
    return loops.find(({ name, failures }: { name: string; failures: number }) => /sealing/.test(name) && failures > 0);
  };
  await until('the loop to fail', failing, ASK_AGAIN_MS);
  service.advanceUptimeMs(60_000);
  const failures = (await failing()).failures;
  await charge();
  await until('it to fail again', async () => (await failing()).failures > failures, ASK_AGAIN_MS);
  const loop = await failing();
  assert.deepEqual([loop.lastRunSecondsAgo, loop.lastSuccessSecondsAgo], [0, 60]);
  const { text } = await service.get('/metrics');
  assert.match(text, /^trilho_loop_failures_total\{loop="sealing the audit log"\} [1-9]\d*$/m);
  assert.match(text, /^trilho_loop_success_age_seconds\{loop="sealing the audit log"\} 60$/m);
  assert.match(text, /^trilho_loop_failures_total\{loop="merging list counts"\} 0$/m);
  assert.deepEqual(await readiness(service), [200, 'ok']);
  await service.sql('alter table elsewhere rename to audit_seal');
});

test('while a table is locked every caller is answered and /readyz is 200; afterwards all succeed', async t => {
  const service = shared;
  const { id } = (await service.post('/charges', chargeBody())).json;
  const session = await sessionOn(t, service.databaseUrl);
  await session.query('begin; lock table charges in access exclusive mode');
  const requests = [
    () => service.get(`/charges/${id}`),
    () => service.get('/charges'),
    () => service.post(`/charges/${id}/cancel`, {}),
    () => service.post(`/charges/${id}/payments`, { amountCents: 15_990, reference: 'seen at the bank' }),
    () => service.post('/charges', chargeBody()),
  ];
  const waiting = Promise.all(requests.flatMap(send => Array.from({ length: 10 }, send)));
  const waits = async () => (await session.query(WAITING)).rowCount ?? 0;
  await until('callers to wait for the table', async () => (await waits()) >= 12);
  for (let times = 0; times < 10; times++) assert.equal((await service.get('/readyz')).status, 200);
  for (const { status, json, headers } of await waiting) {
    // Callers that waited for a connection, and those that waited for the table.
    assert.ok(['database_timeout', 'overloaded'].includes(json.code), json.code);
    assert.deepEqual([status, Number(headers.get('retry-after')) > 0], [503, true]);
  }
  assert.equal((await service.get('/wallets')).status, 200);
  await session.query('rollback');
  assert.equal((await service.get(`/charges/${id}`)).status, 200);
});

test('payments that wait for their charges do not take the whole pool', async t => {
  const pay = (ids: string[]) =>
    ids.map(async (id, place) => {
      const report = { amountCents: 15_990, reference: `seen ${place}` };
      let answer = await shared.post(`/charges/${id}/payments`, report);
      // On a slow machine the lock outlasts a caller's timeout: such a caller gets a time to retry, and retries.
      while (answer.status === 503) answer = await shared.post(`/charges/${id}/payments`, report);
      assert.equal(answer.status, 201, answer.text);
    });
  await assertLeavesConnections(t, shared, 'select from charges for update', pay);
});
