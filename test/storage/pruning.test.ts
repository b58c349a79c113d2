// Rows that are no longer needed are removed in time; needed ones stay, however old.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { RETRY_GAPS_MS } from '../../src/events/webhook.ts';
import { QUEUE_SCHEMA } from '../../src/jobs/boss.ts';
import { chargeBody } from '../harness/bodies.ts';
import { orderDriver } from '../harness/orders.ts';
import { until } from '../harness/process.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';
import { disabledWebhook } from './disabled-webhook.ts';

const DAY_MS = 86_400_000;
/** Long after every clock move of these tests on the shared service. */
const LATE = { dueAt: '2028-12-10T23:59:59-03:00' };

let shared: Service;
before(async () => {
  shared = await startService();
});
after(() => shared.stop());

const quote = (service: Service) =>
  service.post('/crypto/quotes', { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 500 });

// In this order: each test continues at the time of the one before it.

test('more keys than a step takes are removed in one run, and newer ones stay', async () => {
  const service = shared;
  await service.sql(
    `insert into idempotency_keys (scope, key, content_hash, object_id, account_id, created_at)
     select 'sandbox', 'key ' || n, '', gen_random_uuid(), 'acme', $1::timestamptz + n * interval '1 minute'
       from generate_series(1, 1203) n`,
    [new Date(service.clock.now().getTime() - 40 * DAY_MS)],
  );
  await service.sql(
    `insert into idempotency_keys (scope, key, content_hash, object_id, account_id, created_at)
     values ('sandbox', 'new', '', gen_random_uuid(), 'acme', $1)`,
    [service.clock.now()],
  );
  await service.prune();
  assert.deepEqual(await service.sql('select key from idempotency_keys'), [{ key: 'new' }]);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  assert.match(metrics, /^trilho_rows_removed_total\{kind="idempotency_keys"\} 1203$/m);
  assert.match(metrics, /^trilho_oldest_row_seconds\{kind="idempotency_keys"\} 0$/m);
});

test('the age of a given-up delivery counts from when it was given up', async t => {
  const service = shared;
  const receiver = await startReceiver(t, 500);
  await service.post('/webhooks', { url: receiver.url, accountId: 'failing', types: ['charge.created'] });
  await service.post('/charges', chargeBody({ accountId: 'failing', ...LATE }));
  const madeAtMs = service.clock.now().getTime();
  await service.prune();
  const states = () => service.sql('select state from webhook_deliveries');
  assert.deepEqual(await states(), [{ state: 'pending' }]);
  service.clock.advanceMs(17.5 * DAY_MS);
  // All attempts but the last, which is due now.
  await service.sql('update webhook_deliveries set attempts = $1, next_at = $2', [
    RETRY_GAPS_MS.length,
    service.clock.now(),
  ]);
  await service.prune();
  assert.deepEqual(await states(), [{ state: 'failed' }]);
  service.clock.advanceMs(madeAtMs + 95 * DAY_MS - service.clock.now().getTime());
  await service.prune();
  assert.deepEqual(await states(), [{ state: 'failed' }], 'it was given up less than 90 days ago');
  const { text } = await service.get('/metrics');
  const age = Number(/^trilho_oldest_row_seconds\{kind="deliveries"\} (\S+)$/m.exec(text)?.[1]);
  assert.ok(age > 0 && age < (90 * DAY_MS) / 1_000, `${age} s`);
});

test('an unused quote is removed', async () => {
  const service = shared;
  const orders = orderDriver(service);
  const [unused, used] = [await quote(service), await quote(service)];
  const order = await orders.order({ quoteId: used.json.id });
  assert.equal(order.status, 201, order.text);
  service.clock.advanceMs(31 * DAY_MS);
  const fresh = await quote(service);
  for (let run = 0; run < 2; run++) await service.prune();
  assert.equal((await service.get(`/crypto/quotes/${unused.json.id}`)).status, 404);
  for (const { json } of [used, fresh]) assert.equal((await service.get(`/crypto/quotes/${json.id}`)).status, 200);
});

test('deliveries of a deleted webhook are removed in time', async () => {
  const service = shared;
  const { id } = await disabledWebhook(service);
  await service.post('/charges', chargeBody(LATE));
  await service.prune();
  const left = async () => (await service.sql('select from webhook_deliveries where webhook_id = $1', [id])).length;
  const waiting = await left();
  assert.ok(waiting >= 2);
  assert.equal((await service.send(`/webhooks/${id}`, { method: 'DELETE' })).status, 200);
  await service.prune();
  assert.equal(await left(), waiting);
  service.clock.advanceMs(91 * DAY_MS);
  await service.prune();
  assert.equal(await left(), 0);
});

test('delivered deliveries are removed with their attempts; a pending one stays', async t => {
  const service = shared;
  const receiver = await startReceiver(t);
  const [good, paused] = await Promise.all(
    ['good', 'paused'].map(async accountId => {
      const { id } = (await service.post('/webhooks', { url: receiver.url, accountId })).json;
      return { accountId, id, path: `/webhooks/${id}/deliveries` };
    }),
  );
  const disabled = await service.send(`/webhooks/${paused!.id}`, {
    method: 'PATCH',
    body: JSON.stringify({ enabled: false }),
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(disabled.status, 200, disabled.text);
  for (const { accountId } of [good!, paused!]) await service.post('/charges', chargeBody({ accountId, ...LATE }));
  await service.prune();
  const total = async ({ path }: { path: string }) => (await service.get(path)).json.total;
  assert.ok((await total(good!)) >= 2);
  const waiting = await total(paused!);
  assert.ok(waiting >= 2);
  const again = (await service.get(good!.path)).json.deliveries[0].id;
  service.clock.advanceMs(91 * DAY_MS);
  // Requested again today, so its age counts from today.
  await service.send(`${good!.path}/${again}/redeliver`, { method: 'POST' });
  await service.prune();
  const left = (await service.get(`${good!.path}?pageSize=100`)).json.deliveries;
  assert.ok(left.some(({ id }: { id: string }) => id === again));
  assert.ok((await total(paused!)) >= waiting);
  service.clock.advanceMs(91 * DAY_MS);
  await service.prune();
  assert.equal(await total(good!), 0);
  assert.deepEqual(await service.sql('select from webhook_attempts'), []);
  assert.ok((await total(paused!)) >= waiting);
});

test('a locked row does not prevent the removal of others', async () => {
  const service = shared;
  for (const key of ['held', 'free']) await service.post('/charges', chargeBody(LATE), { 'idempotency-key': key });
  const [first, held, last] = [await quote(service), await quote(service), await quote(service)].map(
    ({ json }) => json.id,
  );
  await service.sql(
    `insert into notifications (id, rail, body, received_at, handled_at)
     select gen_random_uuid(), 'psp', body, $1, $1 from unnest(array['held', 'free']) body`,
    [service.clock.now()],
  );
  service.clock.advanceMs(31 * DAY_MS);
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(`select from idempotency_keys where key = 'held' for update`);
  await client.query(`select from notifications where body = 'held' for update`);
  await client.query('select from quotes where id = $1 for key share', [held]);
  const left = async () => ({
    keys: await service.sql('select key from idempotency_keys'),
    notifications: await service.sql('select body from notifications'),
    quotes: await service.sql('select id from quotes where id = any($1)', [[first, held, last]]),
  });
  await service.prune();
  await client.query('commit');
  await client.end();
  assert.deepEqual(await left(), {
    keys: [{ key: 'held' }],
    notifications: [{ body: 'held' }],
    quotes: [{ id: held }],
  });
  await service.prune();
  assert.deepEqual(await left(), { keys: [], notifications: [], quotes: [] });
});

test('an idempotency key gives the first answer as long as it is kept, and its charge stays', async t => {
  const service = await startService({ env: { TRILHO_KEEP_IDEMPOTENCY_KEYS: 'P10D' } });
  t.after(() => service.stop());
  const body = chargeBody({ dueAt: '2027-06-10T23:59:59-03:00' });
  const make = () => service.post('/charges', body, { 'idempotency-key': 'once' });
  const first = await make();
  assert.equal(first.status, 201, first.text);
  service.clock.advanceMs(10 * DAY_MS - 1);
  await service.prune();
  assert.equal((await make()).json.id, first.json.id);
  service.clock.advanceMs(2);
  await service.prune();
  const later = await make();
  assert.equal(later.status, 201, later.text);
  assert.notEqual(later.json.id, first.json.id);
  assert.equal((await service.get(`/charges/${first.json.id}`)).status, 200);
});

test('permanent records are not removed', async t => {
  const service = await startService({ env: { TRILHO_KEEP_QUOTES: 'forever' } });
  t.after(() => service.stop());
  const kept = await quote(service);
  service.clock.advanceMs(20_000 * DAY_MS);
  await service.prune();
  assert.equal((await service.get(`/crypto/quotes/${kept.json.id}`)).status, 200);
});

test('while one node removes rows another does not, until its lease has expired', async t => {
  const service = await startService();
  t.after(() => service.stop());
  const { id } = (await quote(service)).json;
  service.clock.advanceMs(31 * DAY_MS);
  await service.sql(`insert into leases values ('prune', gen_random_uuid(), now() + interval '1 hour')`);
  await service.prune();
  assert.equal((await service.get(`/crypto/quotes/${id}`)).status, 200);
  await service.sql(`update leases set held_until = now() - interval '1 second'`);
  await service.prune();
  assert.equal((await service.get(`/crypto/quotes/${id}`)).status, 404);
});

test('a running service prunes by itself', async t => {
  const service = await startService();
  t.after(() => service.stop());
  await service.post('/charges', chargeBody(), { 'idempotency-key': 'old' });
  const now = new Date(service.clock.now().getTime() + 31 * DAY_MS).toISOString();
  const node = await startService({ beside: service, work: true, now });
  t.after(() => node.stop());
  await until('the key to be gone', async () => (await service.sql('select from idempotency_keys')).length === 0);
});

test('more jobs than a step takes are removed after their time, and waiting ones stay', async t => {
  const service = await startService({ env: { TRILHO_KEEP_JOBS: 'P3D' } });
  t.after(() => service.stop());
  // A job that waits is blocked, so that nothing runs it meanwhile.
  const insert = (state: string, count: number, ageDays: number) =>
    service.sql(
      `insert into ${QUEUE_SCHEMA}.job (name, state, blocked, created_on, completed_on, keep_until, data)
       select 'charge.retire', $1::${QUEUE_SCHEMA}.job_state, $1 = 'created', $3,
              case when $1 <> 'created' then $3::timestamptz end, 'infinity', '{}'
         from generate_series(1, $2::int)`,
      [state, count, new Date(service.clock.now().getTime() - ageDays * DAY_MS)],
    );
  await insert('completed', 1203, 4);
  await insert('failed', 1, 4);
  await insert('completed', 2, 2);
  await insert('created', 3, 400);
  const metrics = async () => (await service.get('/metrics')).text;
  assert.match(await metrics(), /^trilho_oldest_row_seconds\{kind="jobs"\} 345600$/m);
  assert.match(await metrics(), /^trilho_row_keep_seconds\{kind="jobs"\} 259200$/m);
  await service.prune();
  const kept = await service.sql(
    `select state, count(*)::int from ${QUEUE_SCHEMA}.job where name = 'charge.retire' group by state order by state`,
  );
  assert.deepEqual(kept, [
    { state: 'created', count: 3 },
    { state: 'completed', count: 2 },
  ]);
  assert.match(await metrics(), /^trilho_rows_removed_total\{kind="jobs"\} 1204$/m);
  // The queue itself would remove all of them in one statement.
  const removal = await service.sql(`select distinct deletion_seconds as seconds from ${QUEUE_SCHEMA}.queue`);
  assert.deepEqual(removal, [{ seconds: 0 }]);
});
