// The feed of events: a reader that follows the cursor misses nothing and gets nothing twice, in whatever order transactions
// commit.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { CHARGE_EXAMPLE } from '../../src/api/charges.ts';
import { ORDER_EXAMPLE } from '../../src/api/orders.ts';
import { insertEvents } from '../../src/events/store.ts';
import { assignPositions } from '../../src/events/store-feed.ts';
import { exactNumber } from '../../src/lib/decimals.ts';
import { uuidV7 } from '../../src/lib/ids.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { type Judge, readOpenApi } from '../harness/openapi.ts';
import { type Random, randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
let judge: Judge;
before(async () => {
  service = await startService();
  judge = await readOpenApi(service);
});
after(() => service.stop());

type Shown = { id: string; type: string; objectId: string; accountId: string; sequence: number };
type Page = { events: Shown[]; cursor: string; hasMore: boolean };

async function read(query = ''): Promise<Page> {
  const answer = await service.get(`/events?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** Follows the cursor to the end. */
async function follow(from: string, query = 'limit=7'): Promise<{ events: Shown[]; cursor: string }> {
  const events: Shown[] = [];
  let cursor = from;
  for (;;) {
    const page = await read(`after=${cursor}&${query}`);
    events.push(...page.events);
    cursor = page.cursor;
    if (!page.hasMore) return { events, cursor };
  }
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const endOfFeed = async () => (await read('after=end')).cursor;

function event(changes: Partial<Parameters<typeof insertEvents>[1][number]> = {}) {
  const occurredAt = service.clock.now();
  return {
    id: uuidV7(occurredAt),
    accountId: 'acme',
    type: 'charge.created',
    objectId: uuidV7(occurredAt),
    sequence: 1,
    occurredAt,
    object: CHARGE_EXAMPLE,
    ...changes,
  };
}

async function withClient<T>(
  work: (client: pg.Client) => Promise<T>,
  connectionString = service.databaseUrl,
): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const write = (client: pg.Client, ...events: Parameters<typeof insertEvents>[1]) =>
  insertEvents({ query: async (text, values) => (await client.query(text, values as unknown[])).rows }, events);

test('the events of a charge come in order, each with the charge as it was then', async () => {
  const start = await endOfFeed();
  const { id } = (await service.post('/charges', chargeBody())).json;
  await service.runJobs();
  await service.post(`/sandbox/charges/${id}/pay`, { method: 'pix' });
  const { events, cursor } = await follow(start);
  assert.deepEqual(
    events.map(({ type, objectId, sequence }) => [type, objectId, sequence]),
    [
      ['charge.created', id, 1],
      ['charge.active', id, 2],
      ['charge.paid', id, 3],
    ],
  );
  const one = await service.get(`/events/${events[2]!.id}`);
  assert.equal(one.json.object.state, 'PAID');
  assert.equal(judge.faultOf(['components', 'schemas', 'Event'], one.json), undefined);
  assert.deepEqual(one.json, events[2]);
  assert.equal(judge.faultOf(['components', 'schemas', 'EventsPage'], await read(`after=${start}`)), undefined);
  assert.deepEqual(await read(`after=${cursor}`), { events: [], cursor, hasMore: false });
});

test('an event can be read as soon as its request was answered, without any job', async () => {
  const start = await endOfFeed();
  const { id } = (await service.post('/charges', chargeBody())).json;
  assert.deepEqual(
    (await follow(start)).events.map(({ objectId }) => objectId),
    [id],
  );
});

test('an event that commits late comes later, and delays no other', async () => {
  const start = await endOfFeed();
  const [early, late] = [event(), event()];
  await withClient(async slow => {
    await slow.query('begin');
    await write(slow, early);
    await withClient(quick => write(quick, late));
    const { events, cursor } = await follow(start);
    assert.deepEqual(
      events.map(({ id }) => id),
      [late.id],
    );
    await slow.query('commit');
    assert.deepEqual(
      (await follow(cursor)).events.map(({ id }) => id),
      [early.id],
    );
    assert.deepEqual(
      (await follow(start)).events.map(({ id }) => id),
      [late.id, early.id],
      'a new reader sees the same order',
    );
  });
});

test('events of one object come in order of their sequence, not of their times', async () => {
  const start = await endOfFeed();
  const objectId = uuidV7(service.clock.now());
  const at = (minute: number) => new Date(service.clock.now().getTime() + minute * 60_000);
  // The last one is created first, so that neither ids nor times are in order.
  const all = [3, 9, 1, 5].map((minute, index) => event({ objectId, sequence: 4 - index, occurredAt: at(minute) }));
  await withClient(client => write(client, ...all.toReversed()));
  assert.deepEqual(
    (await follow(start)).events.map(({ sequence }) => sequence),
    [1, 2, 3, 4],
  );
});

type Writer = { readonly client: pg.Client; open: Parameters<typeof insertEvents>[1][number][] };

/** Several writers begin, write, commit and roll back at random, while a reader follows with random pages. */
async function interleave(random: Random): Promise<void> {
  const clients = Array.from({ length: 4 }, () => new pg.Client({ connectionString: service.databaseUrl }));
  await Promise.all(clients.map(client => client.connect()));
  const writers: Writer[] = clients.map(client => ({ client, open: [] }));
  const committed: string[] = [];
  const start = await endOfFeed();
  const seen: string[] = [];
  let cursor = start;
  const readSome = async () => {
    const page = await read(`after=${cursor}&limit=${1 + random.below(4)}`);
    seen.push(...page.events.map(({ id }) => id));
    cursor = page.cursor;
  };
  const end = async (writer: Writer) => {
    const keeps = random.chance(0.8);
    await writer.client.query(keeps ? 'commit' : 'rollback');
    if (keeps) committed.push(...writer.open.map(({ id }) => id));
    writer.open = [];
  };
  for (let step = 0; step < 60; step++) {
    const writer = random.pick(writers);
    if (random.chance(0.4)) await readSome();
    else if (writer.open.length > 0 && random.chance(0.5)) await end(writer);
    else {
      if (writer.open.length === 0) await writer.client.query('begin');
      const occurredAt = new Date(service.clock.now().getTime() - random.below(100_000));
      const fresh = event({ occurredAt });
      await write(writer.client, fresh);
      writer.open.push(fresh);
    }
  }
  for (const writer of writers) if (writer.open.length > 0) await end(writer);
  await Promise.all(clients.map(client => client.end()));
  const rest = await follow(cursor);
  seen.push(...rest.events.map(({ id }) => id));
  assert.equal(new Set(seen).size, seen.length, 'nothing twice');
  assert.deepEqual(seen.toSorted(), committed.toSorted(), 'nothing missed');
  assert.deepEqual(
    (await follow(start)).events.map(({ id }) => id),
    seen,
    'the order never changes',
  );
}

for (let index = 0; index < scaled(12, 3); index++) {
  test(`a reader among writers that commit in any order, ${index}`, () => interleave(randomOf(20_261_116, index)));
}

test('with concurrent writers and readers every reader gets every event once, in the same order', async () => {
  const start = await endOfFeed();
  const batches = Array.from({ length: scaled(40, 12) }, () => [event(), event()]);
  let isWriting = true;
  const reading = Array.from({ length: 3 }, async () => {
    const seen: string[] = [];
    let cursor = start;
    for (;;) {
      const isLast = !isWriting;
      const { events, cursor: next } = await follow(cursor, 'limit=9');
      seen.push(...events.map(({ id }) => id));
      cursor = next;
      if (isLast) return seen;
    }
  });
  await Promise.all(
    [0, 1, 2, 3].map(writer =>
      withClient(async client => {
        for (const [index, batch] of batches.entries()) if (index % 4 === writer) await write(client, ...batch);
      }),
    ),
  );
  isWriting = false;
  const [first, ...others] = await Promise.all(reading);
  assert.deepEqual(
    first!.toSorted(),
    batches
      .flat()
      .map(({ id }) => id)
      .toSorted(),
  );
  for (const other of others) assert.deepEqual(other, first);
});

test('events without a position are read once each, not once for every other one', async t => {
  const COUNT = 1_000;
  const { databaseUrl: connectionString, ...other } = await startService();
  t.after(() => other.stop());
  const assign = async () => {
    const db = openDatabase({ connection: { connectionString }, log: silentLog });
    await assignPositions(db);
    await db.close();
  };
  const waiting = (count: number) =>
    withClient(client => write(client, ...times(count, () => event())), connectionString);
  // The planner's statistics are those of a table with hardly any waiting row, as usual.
  await waiting(COUNT);
  await assign();
  await other.sql('analyze unpositioned_events');
  const read = async () => {
    const [row] = await other.sql<{ count: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as count from pg_stat_user_tables where relname = 'unpositioned_events'`,
    );
    return row!.count;
  };
  const before = await read();
  await waiting(COUNT);
  await assign();
  const count = (await read()) - before;
  assert.ok(count >= COUNT && count < 5 * COUNT, `${count} read`);
});

test('filters skip other events and still reach the end', async () => {
  const start = await endOfFeed();
  const wanted = event({ accountId: 'other', type: 'charge.paid' });
  await withClient(client => write(client, event(), wanted, event(), event({ type: 'charge.paid' })));
  const end = await endOfFeed();
  for (const [filter, count] of [
    ['type=charge.paid', 2],
    [`objectId=${wanted.objectId}`, 1],
  ] as const) {
    const { events, cursor } = await follow(start, `limit=1&${filter}`);
    assert.equal(events.length, count, filter);
    assert.equal(cursor, end, filter);
  }
  for (const [filter, count] of [
    ['accountId=other', 1],
    ['type=charge.paid&accountId=other', 1],
    ['accountId=nobody', 0],
  ] as const) {
    const { events, cursor } = await follow(start, `limit=1&${filter}`);
    assert.equal(events.length, count, filter);
    assert.deepEqual(await read(`after=${cursor}&${filter}`), { events: [], cursor, hasMore: false }, filter);
  }
});

test('decimals of an object are exact in JSON', async () => {
  const digits = '123456789012345678.123456789012345678';
  const object = { ...ORDER_EXAMPLE, quantity: exactNumber(digits) };
  const exact = event({ type: 'crypto_transaction.fulfilled', object });
  await withClient(client => write(client, exact));
  assert.match((await service.get(`/events/${exact.id}`)).text, new RegExp(`"quantity": ?${digits}[,}]`));
  const start = await service.get(`/events?objectId=${exact.objectId}`);
  assert.ok(start.text.includes(digits));
});

test('an invalid cursor, or one of another database, is refused with its field', async () => {
  await withClient(client => write(client, event()));
  const cursor = await endOfFeed();
  const changed = `${cursor.slice(0, -1)}${cursor.endsWith('0') ? '1' : '0'}`;
  for (const bad of [
    'x',
    '-1',
    '1',
    changed,
    cursor.slice(1),
    `${cursor}0`,
    cursor.toUpperCase(),
    '9'.repeat(40),
    'END',
  ]) {
    const answer = await service.get(`/events?after=${bad}`);
    assert.equal(answer.status, 400, bad);
    assert.equal(answer.json.errors[0].path, 'after', bad);
  }
  for (const bad of ['after=', 'limit=0', 'limit=1001', 'type=charge', 'objectId=1', 'kind=x']) {
    assert.equal((await service.get(`/events?${bad}`)).status, 400, bad);
  }
  assert.equal((await read('after=0&limit=1')).events.length, 1);
});

test('a cursor of an account reveals nothing about the events of others, neither by its text nor by its changes', async t => {
  const live = await startService({ mode: 'live', rails: sandboxRails });
  t.after(() => live.stop());
  const other = { authorization: `Bearer ${(await live.makeKey('other')).text}` };
  const make = (accountId: string, headers = {}) =>
    live.post('/charges', chargeBody({ accountId, methods: ['pix'] }), headers);
  const cursorOf = async (query: string): Promise<string> => (await live.get(`/events?${query}`)).json.cursor;
  assert.equal(await cursorOf('after=end'), '0', 'an account without events is at the beginning');
  await make('acme');
  const cursors = [await cursorOf('after=end')];
  for (let count = 0; count < 3; count++) {
    assert.equal((await make('other', other)).status, 201);
    for (const query of ['after=end', `after=${cursors[0]}`, 'limit=1', 'type=charge.paid']) {
      assert.equal(await cursorOf(query), cursors[0], query);
    }
  }
  const { id } = (await make('acme')).json;
  const page = (await live.get(`/events?after=${cursors[0]}`)).json;
  assert.deepEqual(
    page.events.map(({ objectId }: Shown) => objectId),
    [id],
  );
  cursors.push(page.cursor);
  const [row] = await live.sql<{ position: string }>('select max(position) as position from event_positions');
  for (const cursor of cursors) {
    assert.match(cursor, /^[0-9a-f]{32}$/);
    assert.ok(!cursor.includes(BigInt(row!.position).toString(16).padStart(16, '0')));
  }
});

test('a cursor of 0.2.0 is accepted up to the upgrade, and refused with its field beyond it', async t => {
  await withClient(client => write(client, event()));
  await endOfFeed();
  const plain = async () => {
    const [row] = await service.sql<{ position: string; event_id: string }>(
      'select position, event_id from event_positions order by position desc limit 1',
    );
    return `${row!.position}-${row!.event_id.slice(-12)}`;
  };
  const before = await plain();
  await service.sql('update event_cursors set plain_upto = (select position from event_feed)');
  const upgraded = await startService({ beside: service });
  t.after(() => upgraded.stop());
  await withClient(client => write(client, event()));
  const { json } = await upgraded.get(`/events?after=${before}`);
  assert.deepEqual([json.events.length, json.hasMore], [1, false]);
  const streamed = await upgraded.get('/events/stream', { 'last-event-id': await plain() });
  assert.deepEqual(streamed.json.errors, [
    { path: 'after', code: 'unknown_cursor', message: 'is of an older version; begin without it, or with end' },
  ]);
});

test('an unknown event is a 404', async () => {
  for (const id of [uuidV7(new Date()), 'x', '1']) assert.equal((await service.get(`/events/${id}`)).status, 404);
});

test('positions have no gaps and are stored as plain data', async () => {
  await endOfFeed();
  const [row] = await service.sql<{ head: string; count: string; last: string }>(
    `select (select position from event_feed) as head, (select count(*) from events) as count, max(position) as last
       from event_positions`,
  );
  assert.equal(row!.head, row!.count);
  assert.equal(row!.head, row!.last);
});
