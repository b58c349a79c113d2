// The feed as server-sent events: the same events with the same cursors, as they happen.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { openCharge, pathOf } from '../harness/checkouts.ts';
import { sessionOn } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

type Received = { readonly id: string; readonly data: { id: string; type: string; objectId: string } };
type Stream = { received(): Received[]; raw(): string; readonly ended: Promise<void>; close(): void };

/** On its own connection, which ends with it. */
async function open(path: string, headers: Record<string, string> = {}, base = service.url): Promise<Stream> {
  const request = get(base + path, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) request.destroy();
  assert.equal(response.statusCode, 200);
  assert.match(response.headers['content-type'] ?? '', /^text\/event-stream/);
  let raw = '';
  response.setEncoding('utf8').on('data', chunk => {
    raw += chunk;
  });
  const ended = new Promise<void>(resolve => response.once('error', () => {}).once('close', resolve));
  const received = () =>
    raw
      .split('\n\n')
      .slice(0, -1)
      .flatMap(block => {
        const [, id, data] = /^id: (.+)\ndata: (.+)$/.exec(block) ?? [];
        return id && data ? [{ id, data: JSON.parse(data) }] : [];
      });
  return { received, raw: () => raw, ended, close: () => void request.destroy() };
}

const make = async (): Promise<string> => (await service.post('/charges', chargeBody())).json.id;
const cursorNow = async (): Promise<string> => (await service.get('/events?after=end')).json.cursor;

test('events are sent as they happen, each with its cursor', async () => {
  const start = await cursorNow();
  const stream = await open('/events/stream?after=end');
  const ids = [await make(), await make()];
  await until('both events', () => stream.received().length >= 2);
  assert.deepEqual(
    stream.received().map(({ data }) => data.objectId),
    ids,
  );
  const { json } = await service.get(`/events?after=${start}`);
  assert.deepEqual(
    stream.received().map(({ data }) => data),
    json.events,
  );
  assert.equal(stream.received().at(-1)!.id, json.cursor);
  stream.close();
});

test('a client that reconnects with Last-Event-ID continues where it was', async () => {
  const first = await open('/events/stream?after=end');
  await make();
  const [event] = await until('an event', () => (first.received().length > 0 ? first.received() : undefined));
  first.close();
  const [missed, next] = [await make(), await make()];
  const second = await open('/events/stream?after=end', { 'last-event-id': event!.id });
  await until('the missed events', () => second.received().length >= 2);
  assert.deepEqual(
    second.received().map(({ data }) => data.objectId),
    [missed, next],
  );
  second.close();
});

test('a stream may start at the beginning, and be filtered', async () => {
  const id = await make();
  await service.runJobs();
  const all = await open('/events/stream');
  const one = await open(`/events/stream?objectId=${id}&type=charge.active`);
  await until('its own event', () => one.received().length >= 1);
  const { json } = await service.get('/events?limit=1000');
  await until('everything', () => all.received().length >= json.events.length);
  assert.deepEqual(
    all.received().map(({ data }) => data),
    json.events,
  );
  await service.post('/charges', chargeBody());
  assert.deepEqual(
    one.received().map(({ data }) => [data.type, data.objectId]),
    [['charge.active', id]],
  );
  all.close();
  one.close();
});

test('a wrong cursor is refused before the stream begins', async () => {
  assert.equal((await service.get('/events/stream?after=x')).status, 400);
  assert.equal((await service.get('/events/stream', { 'last-event-id': 'x' })).status, 400);
  assert.equal((await service.get('/events/stream?limit=1')).status, 400);
});

test('the number of open streams is limited, and a closed one frees its place', async () => {
  const streams: Stream[] = [];
  for (let count = 0; count < 100; count++) streams.push(await open('/events/stream?after=end'));
  const refused = await service.get('/events/stream?after=end');
  assert.equal(refused.status, 429);
  assert.equal(refused.json.code, 'too_many_streams');
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  for (const stream of streams) stream.close();
  const again = await until('room', async () => open('/events/stream?after=end').catch(() => undefined));
  again.close();
});

test('a caller that disconnects before its stream is set up leaves no stream open', async t => {
  const paths = ['/events/stream', '/dashboard/stream', `${await pathOf(service, await openCharge(service))}/stream`];
  const client = await sessionOn(t, service.databaseUrl);
  // Every request of a sandbox reads the clock first.
  await client.query('begin; lock table sandbox_clock, charges');
  for (const path of paths) {
    const socket = openPaused(service.url, path);
    await once(socket, 'connect');
    // Answered after the request before it, which waits for the clock.
    await fetch(`${service.url}/livez`);
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  await client.query('rollback');
  await service.get('/charges');
  const open = async () => (await service.get('/metrics')).text.match(/^trilho_(event|page)_streams.* [1-9].*$/gm);
  await until('no stream to be open', async () => (await open()) === null);
});

test('HEAD opens no stream', async () => {
  for (const path of ['/events/stream', '/dashboard/stream']) {
    const { status } = await fetch(service.url + path, { method: 'HEAD' });
    assert.equal(status, 200);
  }
  assert.doesNotMatch((await service.get('/metrics')).text, /^trilho_(event|page)_streams.* [1-9].*$/m);
});

/** More events than the buffers of a socket hold. */
async function writeManyEvents({ sql, get }: Service): Promise<void> {
  await sql(
    `insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
     select gen_random_uuid(), 'acme', 'charge.created', gen_random_uuid(), 1, now(), jsonb_build_object('pad', repeat('x', 24000))
       from generate_series(1, 1000)`,
  );
  await get('/events?after=end');
}

/** A reader that requests a stream and reads nothing of it. */
function openPaused(base: string, path: string): Socket {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return socket;
}

async function metric({ get }: Service, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec((await get('/metrics')).text)?.[1]);
}

test('for a reader that reads nothing a page and a buffer are held, and no other reader is delayed', async t => {
  const start = await cursorNow();
  await writeManyEvents(service);
  const lazy = openPaused(service.url, `/events/stream?after=${start}`);
  t.after(() => lazy.destroy());
  await until('it to be behind', async () => (await metric(service, 'trilho_event_stream_owed_bytes')) > 0);
  const stream = await open('/events/stream?after=end');
  const id = await make();
  await until('the other reader', () => stream.received().some(({ data }) => data.objectId === id));
  assert.equal(await metric(service, 'trilho_event_streams'), 2);
  const owed = await metric(service, 'trilho_event_stream_owed_bytes');
  assert.ok(owed > 0 && owed < 300_000, `${owed} bytes of 25 MB are held`);
  stream.close();
});

// The second limit is for a connection that still sends something, as a proxy may.
for (const [limit, message] of [
  [{ unreadLimitMs: 500 }, 'its caller does not read the answer'],
  [{ streamStallTimeoutMs: 50 }, 'its reader did not read'],
] as const) {
  test(`a reader that keeps reading nothing is disconnected (${Object.keys(limit)}), and continues where it was`, async t => {
    const { log, lines } = recordingLog();
    const impatient = await startService({ ...limit, log });
    t.after(() => impatient.stop());
    await writeManyEvents(impatient);
    const lazy = openPaused(impatient.url, '/events/stream');
    let text = '';
    const ended = new Promise<NodeJS.ErrnoException | undefined>(resolve =>
      lazy.once('error', resolve).once('close', () => resolve(undefined)),
    );
    await until('it to be disconnected', () => lines.some(line => line.includes(message)));
    await until('it to be gone', async () => (await metric(impatient, 'trilho_event_streams')) === 0);
    lazy.setEncoding('latin1').on('data', chunk => {
      text += chunk;
    });
    lazy.resume();
    assert.equal((await ended)?.code, 'ECONNRESET', 'nothing is held for it');
    const [, cursor = '', json = ''] = [...text.matchAll(/^id: ([0-9a-f]{32})\ndata: (.*)\n\n/gm)].at(-1) ?? [];
    const [next] = await impatient.sql<{ id: string }>(
      `select event_id as id from event_positions
      where position > (select position from event_positions where event_id = $1) order by position limit 1`,
      [JSON.parse(json).id],
    );
    const back = await open('/events/stream', { 'last-event-id': cursor }, impatient.url);
    await until('the next events', () => back.received().length > 0);
    assert.equal(back.received()[0]!.data.id, next!.id);
    back.close();
  });
}

test('a stop ends every stream cleanly', async () => {
  const other = await startService();
  const stream = await open('/events/stream', {}, other.url);
  await until('the stream to begin', () => stream.raw().startsWith('retry:'));
  await Promise.all([other.stop(), stream.ended]);
  assert.match(stream.raw(), /\n\n$/);
});
