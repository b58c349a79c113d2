// Old events are moved to files. A reader of the feed gets an error before it would miss an event, and events that are needed stay.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { archiveCommand } from '../../src/cli/archive.ts';
import { auditCommand } from '../../src/cli/audit.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import type { ArchiveCrash } from '../harness/archive-crash-at-step.ts';
import { postAtOnce } from '../harness/at-once.ts';
import { chargeBody } from '../harness/bodies.ts';
import { testClock } from '../harness/clock.ts';
import { runCommand } from '../harness/commands.ts';
import { crashAt } from '../harness/crash.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';

const DAY_MS = 86_400_000;
const MAX_STEPS = 40;
const FIRST = 'events/0000/events-000000000001-000000001000.ndjson.gz';
const SECOND = 'events/0000/events-000000001001-000000002000.ndjson.gz';

type Shown = { id: string; type: string; objectId: string; sequence: number };

const keeping = (dir: string, keep: string) => ({
  TRILHO_ARCHIVE_DIR: dir,
  TRILHO_KEEP_AUDIT: 'forever',
  TRILHO_KEEP_EVENTS: keep,
});

/** Events of objects that never change. */
const insertEvents = ({ sql, clock }: Service, count: number) =>
  sql(
    `insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
     select gen_random_uuid(), 'acme', 'charge.created', gen_random_uuid(), 1, $1,
            jsonb_build_object('customer', 'customer ' || n, 'cents', 1.50)
       from generate_series(1, $2) n`,
    [clock.now(), count],
  );

async function startArchiving(t: TestContext, keep = 'P30D') {
  const dir = await mkdtemp(path.join(tmpdir(), 'trilho-archive-'));
  const service = await startService({ env: keeping(dir, keep) });
  t.after(async () => {
    await service.stop();
    await rm(dir, { recursive: true });
  });
  const page = async (query: string): Promise<{ events: Shown[]; cursor: string; hasMore: boolean }> => {
    const answer = await service.get(`/events?limit=100&${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  return {
    service,
    dir,
    page,
    /** All events from a cursor on, and the cursor at their end. */
    follow: async (query: string, from = '') => {
      const events: Shown[] = [];
      for (let cursor = from; ; ) {
        const next = await page(`${query}&${cursor && `after=${cursor}`}`);
        events.push(...next.events);
        cursor = next.cursor;
        if (!next.hasMore) return { events, cursor };
      }
    },
    advance: async (duration: string) => {
      const { status, text } = await service.post('/sandbox/clock', { advance: duration });
      assert.equal(status, 200, text);
    },
    insert: (count: number) => insertEvents(service, count),
    files: async () => (await readdir(dir, { recursive: true })).filter(name => /^events\/.*\d\.\w/.test(name)).sort(),
    check: () => runCommand(archiveCommand, {}, ['check', dir]),
  };
}

test('a block of old events is moved; readers continue, or get an error that says where to begin', async t => {
  const archiving = await startArchiving(t, 'P120D');
  const { service, page, follow } = archiving;
  const receiver = await startReceiver(t);
  const hook = (await service.post('/webhooks', { url: receiver.url, accountId: 'slow' })).json.id;
  const enable = (enabled: boolean) =>
    service.send(`/webhooks/${hook}`, {
      method: 'PATCH',
      body: JSON.stringify({ enabled }),
      headers: { 'content-type': 'application/json' },
    });
  assert.equal((await enable(false)).status, 200);
  const make = async (changes: Record<string, unknown>) =>
    (await service.post('/charges', chargeBody(changes))).json.id;
  const none = await page('accountId=quiet');
  const quiet = await make({ accountId: 'quiet' });
  const open = await make({ dueAt: '2028-12-10T23:59:59-03:00' });
  const slow = await make({ accountId: 'slow' });
  await postAtOnce(
    service.url,
    '/charges',
    Array.from({ length: 260 }, () => ({ body: chargeBody() })),
  );
  await service.prune();
  await archiving.advance('P90D');
  await service.prune();
  const begun = await page('accountId=acme');
  const [all, whole, ofQuiet] = [await follow(''), await follow('accountId=acme'), await follow('accountId=quiet')];
  assert.ok(all.events.length > 1_000 && all.events.length < 2_000, `${all.events.length} events`);
  await archiving.advance('P180D');
  await service.prune();
  assert.deepEqual(await archiving.files(), [FIRST, `${FIRST}.sha256`]);
  assert.match((await archiving.check()).said, /^events: 1 file, 1 to 1000, whole: [0-9a-f]{64}$/m);
  assert.equal((await runCommand(ledgerCommand, { DATABASE_URL: service.databaseUrl }, ['check'])).code, 0);

  // An account that has read all removed events continues; another one gets an error.
  assert.deepEqual(await page(`accountId=quiet&after=${ofQuiet.cursor}`), {
    events: [],
    cursor: ofQuiet.cursor,
    hasMore: false,
  });
  assert.equal((await page(`after=${all.cursor}`)).hasMore, false);
  const missedAll = await service.get(`/events?accountId=quiet&after=${none.cursor}`);
  assert.deepEqual([missedAll.status, missedAll.json.errors?.[0].code], [400, 'expired_cursor']);
  for (const scope of ['accountId=acme&', '']) {
    const { status, json } = await service.get(`/events?${scope}after=${begun.cursor}`);
    assert.equal(status, 400);
    const [, oldest = ''] =
      /^is older than the events that are kept; begin without it, or with ([0-9a-f]{32})$/.exec(
        json.errors[0].message,
      ) ?? [];
    assert.deepEqual([json.errors[0].path, json.errors[0].code], ['after', 'expired_cursor']);
    const rest = await follow(scope, oldest);
    const before = scope ? whole : all;
    assert.deepEqual(rest.events, before.events.slice(before.events.findIndex(({ id }) => id === rest.events[0]!.id)));
    assert.equal(rest.cursor, before.cursor);
  }

  // Events that are still needed stay, in order, and are moved later.
  const typesOf = async (id: string) => (await follow(`objectId=${id}`)).events.map(({ type }) => type);
  assert.deepEqual(await typesOf(quiet), []);
  assert.deepEqual(await typesOf(open), ['charge.created', 'charge.active']);
  assert.deepEqual((await typesOf(slow)).slice(0, 2), ['charge.created', 'charge.active']);

  // A new reader begins after the removed events and gets to the end; one of an object that still changes gets all of its events.
  for (const [scope, before] of [
    ['', all],
    ['accountId=acme', whole],
  ] as const) {
    const started = await service.get(`/events?limit=1&${scope}`);
    const rest = await follow(scope, started.json.cursor);
    const events = [...started.json.events, ...rest.events];
    assert.deepEqual(events, before.events.slice(-events.length));
    assert.ok(!events.some(({ objectId }) => objectId === open));
    assert.equal(rest.cursor, before.cursor);
  }
  const ofOpen = await service.get(`/events?limit=1&objectId=${open}`);
  assert.deepEqual(
    (await follow(`objectId=${open}`, ofOpen.json.cursor)).events.map(({ type }) => type),
    ['charge.active'],
  );
  assert.equal((await service.post(`/charges/${open}/cancel`, {})).status, 200);
  await enable(true);
  await service.prune();
  assert.deepEqual(receiver.received.map(({ json }) => json.type).slice(0, 2), ['charge.created', 'charge.active']);
  await service.prune();
  assert.deepEqual(await typesOf(open), ['charge.canceled']);
  const expired = (await service.get(`/events?objectId=${open}&after=${ofOpen.json.cursor}`)).json.errors[0];
  assert.deepEqual(
    [expired.code, expired.message],
    ['expired_cursor', 'is older than the events that are kept; begin without it'],
  );
  assert.deepEqual(await archiving.files(), [FIRST, `${FIRST}.sha256`], 'they were in the archive before');
});

test('deliveries are kept at most as long as events, and are removed without a file', async t => {
  const archiving = await startArchiving(t);
  const { service, dir } = archiving;
  const receiver = await startReceiver(t);
  await service.post('/webhooks', { url: receiver.url, accountId: 'webhook account' });
  const { id } = (await service.post('/charges', chargeBody({ accountId: 'webhook account' }))).json;
  await service.prune();
  assert.equal((await service.post(`/charges/${id}/cancel`, {})).status, 200);
  await service.prune();
  const deliveries = await service.sql<{ id: string }>('select id from webhook_deliveries order by id');
  assert.ok(deliveries.length >= 3);
  await archiving.insert(1_000);
  await service.prune();
  service.clock.advanceMs(31 * DAY_MS);
  await service.prune();
  assert.deepEqual(await service.sql('select from webhook_deliveries'), []);
  assert.equal((await service.sql('select from events where account_id = $1', ['webhook account'])).length, 0);
  assert.doesNotMatch((await readdir(dir, { recursive: true })).join('\n'), /deliver/, 'deliveries are not archived');
});

test('an event stays until its last delivery has gone', async t => {
  const archiving = await startArchiving(t);
  const { service } = archiving;
  const receiver = await startReceiver(t);
  const hook = (await service.post('/webhooks', { url: receiver.url, accountId: 'webhook account' })).json.id;
  const { id } = (await service.post('/charges', chargeBody({ accountId: 'webhook account' }))).json;
  await service.prune();
  await service.post(`/charges/${id}/cancel`, {});
  await service.prune();
  await archiving.insert(1_000);
  service.clock.advanceMs(20 * DAY_MS);
  const { deliveries } = (await service.get(`/webhooks/${hook}/deliveries`)).json;
  const again = deliveries.at(-1);
  await service.send(`/webhooks/${hook}/deliveries/${again.id}/redeliver`, { method: 'POST' });
  await service.prune();

  const left = () => service.sql<{ id: string }>(`select id from events where account_id = 'webhook account'`);
  service.clock.advanceMs(12 * DAY_MS);
  await service.prune();
  assert.deepEqual(await left(), [{ id: again.eventId }]);
  service.clock.advanceMs(20 * DAY_MS);
  await service.prune();
  assert.deepEqual(await left(), []);
});

test('trilho audit verify --archive wants every event that was moved there', async t => {
  const { service, dir, insert, advance } = await startArchiving(t);
  await insert(2_000);
  await service.prune();
  await advance('P60D');
  await service.prune();
  const verify = () => runCommand(auditCommand, { DATABASE_URL: service.databaseUrl }, ['verify', '--archive', dir]);
  assert.equal((await verify()).code, 0);
  await rm(path.join(dir, SECOND));
  const lacking = await verify();
  assert.equal(lacking.code, 1);
  assert.match(lacking.said, /^Broken: .* lacks events: it must have 1 to 2000\.$/m);
  await rm(path.join(dir, 'events'), { recursive: true });
  assert.equal((await verify()).code, 1);
});

test('data that was erased while its block was being moved is not in the file', async t => {
  const archiving = await startArchiving(t);
  const { service, dir } = archiving;
  await archiving.insert(1_000);
  await service.prune();
  service.clock.advanceMs(31 * DAY_MS);
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query(
    `begin; update events set object = '{"customer":"erased"}' where object ->> 'customer' = 'customer 7'`,
  );
  await service.prune();
  const text = async () => gunzipSync(await readFile(path.join(dir, FIRST))).toString();
  assert.match(await text(), /"customer 7"/);
  const left = async () => (await service.sql<{ n: number }>('select count(*)::int as n from events'))[0]!.n;
  assert.equal(await left(), 1_000);
  await client.query('commit');
  await client.end();
  await service.prune();
  assert.equal(await left(), 0);
  assert.doesNotMatch(await text(), /"customer 7"/);
  assert.match(await text(), /"cents": 1\.50[,}]/, 'decimals are as they were');
  assert.equal((await archiving.check()).code, 0);
});

test('a restored database moves its events again, without the data that was erased since', async t => {
  const dir = await mkdtemp(path.join(tmpdir(), 'trilho-archive-'));
  t.after(() => rm(dir, { recursive: true }));
  const clock = testClock('2026-11-16T12:00:00.000Z');
  const withService = async ({ url }: TestDatabase, work: (service: Service) => Promise<unknown>) => {
    const service = await startService({ env: keeping(dir, 'P30D'), beside: { databaseUrl: url, clock } });
    await work(service).finally(() => service.stop());
  };
  const database = await createDatabase();
  t.after(() => database.drop());
  await withService(database, async service => {
    await insertEvents(service, 2_000);
    await service.prune();
  });
  const backup = await createDatabase(new URL(database.url).pathname.slice(1));
  t.after(() => backup.drop());
  clock.advanceMs(31 * DAY_MS);
  await withService(database, service => service.prune());
  const names = [FIRST, SECOND];
  const texts = async () => {
    const files = await Promise.all(names.map(name => readFile(path.join(dir, name))));
    return files.map(file => gunzipSync(file).toString());
  };
  for (const text of await texts()) assert.match(text, /"customer \d*7"/);
  await withService(backup, async service => {
    await service.sql(
      `update events set object = '{"customer":"erased"}' where object ->> 'customer' in ('customer 7', 'customer 1007')`,
    );
    await service.prune();
    assert.equal((await service.sql('select from events')).length, 0);
  });
  for (const text of await texts()) assert.doesNotMatch(text, /"customer (7|1007)"/);
  assert.match((await runCommand(archiveCommand, {}, ['check', dir])).said, /^events: 2 files, 1 to 2000, whole/);
});

test('a restored database puts no data back into the archive that was erased after its backup', async t => {
  const dir = await mkdtemp(path.join(tmpdir(), 'trilho-archive-'));
  t.after(() => rm(dir, { recursive: true }));
  const clock = testClock('2026-11-16T12:00:00.000Z');
  const { log, lines } = recordingLog();
  const withService = async ({ url }: TestDatabase, work: (service: Service) => Promise<unknown>) => {
    const service = await startService({ log, env: keeping(dir, 'P30D'), beside: { databaseUrl: url, clock } });
    await work(service).finally(() => service.stop());
  };
  const putCustomer = ({ sql }: Service, name: string, document: string) =>
    sql(
      `update events set object = jsonb_set(object, '{customer}', $1)
        where object ->> 'customer' = 'customer 7' or object -> 'customer' ? 'document'`,
      [JSON.stringify({ name, document, type: 'individual' })],
    );
  const erase = (service: Service) => putCustomer(service, 'erased', '0'.repeat(11));
  const database = await createDatabase();
  t.after(() => database.drop());
  await withService(database, async service => {
    await insertEvents(service, 1_000);
    await service.prune();
    await putCustomer(service, 'Maria', '52998224725');
  });
  const backup = await createDatabase(new URL(database.url).pathname.slice(1));
  t.after(() => backup.drop());
  clock.advanceMs(31 * DAY_MS);
  await withService(database, async service => {
    await erase(service);
    await service.prune();
    assert.equal((await service.sql('select from events')).length, 0);
  });
  const text = async () => gunzipSync(await readFile(path.join(dir, FIRST))).toString();
  await withService(backup, async service => {
    await service.prune();
    assert.doesNotMatch(await text(), /Maria/);
    assert.equal((await service.sql('select from events')).length, 1_000);
    assert.match(lines.join(), /repeat trilho payer erase first; nothing is removed until then/);
    assert.doesNotMatch(lines.join(), /Maria|52998224725/);
    await erase(service);
    await service.prune();
    assert.equal((await service.sql('select from events')).length, 0);
  });
  assert.match(await text(), /"name": ?"erased"/);
});

test('events that wait for a webhook stay until it is deleted', async t => {
  const archiving = await startArchiving(t);
  const { service } = archiving;
  const { id } = (await service.post('/webhooks', { url: 'http://127.0.0.1:9/', accountId: 'acme' })).json;
  await service.sql('update webhooks set enabled = false');
  await archiving.insert(1_000);
  await service.prune();
  service.clock.advanceMs(31 * DAY_MS);
  await service.prune();
  assert.equal((await service.sql('select from events')).length, 1_000);
  assert.equal((await service.send(`/webhooks/${id}`, { method: 'DELETE' })).status, 200);
  await service.prune();
  assert.deepEqual(await service.sql('select from events'), []);
});

test('killed at any step, no event is lost or in two files', async t => {
  const archiving = await startArchiving(t);
  const { service, dir } = archiving;
  let deaths = 0;
  for (let step = 1; ; step++) {
    assert.ok(step <= MAX_STEPS, 'it finishes');
    await archiving.insert(1_000);
    await service.prune();
    service.clock.advanceMs(31 * DAY_MS);
    const now = service.clock.now().toISOString();
    const order: ArchiveCrash = { databaseUrl: service.databaseUrl, now, verb: 'events', step, dir };
    const died = await crashAt('archive-crash-at-step.ts', order);
    // Any node may continue when the lease of the dead one has expired.
    await service.sql('delete from leases');
    await service.prune();
    const { code, said } = await archiving.check();
    assert.equal(code, 0, `step ${step}: ${said}`);
    assert.match(said, new RegExp(`^events: ${step} files?, 1 to ${step}000, `));
    assert.equal((await archiving.files()).length, 2 * step, 'a file and its hash for each block');
    assert.deepEqual(await service.sql('select from events'), []);
    if (!died) break;
    deaths++;
  }
  assert.ok(deaths >= 8, `${deaths} steps to die between`);
});
