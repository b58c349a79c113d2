// The client before a server that fails: what is sent again and what is not, time-outs, aborts, streams that end, and secrets.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import { type ClientOptions, createTrilho, TrilhoError } from '@trilho/client';

type Request = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly text: string };
type Play = (response: ServerResponse, request: Request) => void;

const answer =
  (status: number, body: unknown = {}, headers: Record<string, string> = {}): Play =>
  response =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
const refuse = (status: number, code: string, headers: Record<string, string> = {}): Play =>
  answer(status, { code, status, detail: 'Try later.', requestId: 'r-1' }, headers);
/** The request arrived, its answer is lost. */
const cut: Play = response => void response.destroy();
const silent: Play = () => {};

/** A server that answers each request by the next play, the last one again and again, and a client that does not wait. */
async function stage(t: TestContext, plays: readonly Play[], options: Partial<ClientOptions> = {}) {
  const requests: Request[] = [];
  const pauses: number[] = [];
  const server = createServer(async (incoming, response) => {
    let text = '';
    for await (const chunk of incoming) text += chunk;
    const { method, url, headers } = incoming;
    const request = { method, url, headers, text };
    requests.push(request);
    plays[Math.min(requests.length, plays.length) - 1]?.(response, request);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  };
  t.after(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wait = async (ms: number, signal?: AbortSignal) => {
    pauses.push(ms);
    signal?.throwIfAborted();
  };
  return { trilho: createTrilho({ url, wait, ...options }), url, requests, pauses, close };
}

async function errorOf(call: Promise<unknown>): Promise<TrilhoError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof TrilhoError, inspect(error));
  return error;
}

const charge = {
  ...{ accountId: 'acme', amountCents: 15_990, currency: 'BRL' as const, methods: ['pix'] as const },
  customer: { name: 'Maria da Silva', document: '529.982.247-25' },
  dueAt: '2026-12-10T23:59:59-03:00',
};
const GETS = { id: 'one' };

test('a read is sent again until it is answered, after pauses that grow', async t => {
  const plays = [cut, refuse(500, 'internal_error'), refuse(429, 'rate_limited'), answer(200, GETS)];
  const { trilho, requests, pauses } = await stage(t, plays);
  assert.deepEqual(await trilho.charges.get('one'), GETS);
  assert.deepEqual([requests.length, pauses.length], [4, 3]);
  for (const [index, ms] of pauses.entries()) assert.ok(ms >= 0 && ms < 500 * 2 ** index, String(ms));
});

test('a read fails after as many attempts as are allowed, with the last error', async t => {
  const { trilho, requests } = await stage(t, [refuse(503, 'database_unavailable')]);
  const error = await errorOf(trilho.charges.get('one', { retries: 2 }));
  assert.deepEqual([error.code, error.requestId, requests.length], ['database_unavailable', 'r-1', 3]);
  for (const retries of [0, 1]) await errorOf(trilho.charges.list({}, { retries }));
  assert.equal(requests.length, 3 + 1 + 2);
});

test('a refusal that another attempt does not change is final', async t => {
  const { trilho, requests } = await stage(t, [refuse(409, 'wrong_state')]);
  assert.equal((await errorOf(trilho.charges.get('one'))).code, 'wrong_state');
  assert.equal(requests.length, 1);
});

test('a POST with an idempotency key is sent again with the same key and body', async t => {
  const plays = [cut, refuse(502, 'bad_gateway'), answer(201, GETS)];
  const { trilho, requests } = await stage(t, [...plays, ...plays]);
  await trilho.charges.create(charge);
  await trilho.charges.create(charge, { idempotencyKey: 'mine' });
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.deepEqual(keys, [keys[0], keys[0], keys[0], 'mine', 'mine', 'mine']);
  assert.deepEqual(new Set(requests.map(({ text }) => text)), new Set([JSON.stringify(charge)]));
});

test('each call has its own key', async t => {
  const { trilho, requests } = await stage(t, [answer(201, GETS)]);
  await Promise.all([trilho.charges.create(charge), trilho.charges.create(charge)]);
  assert.equal(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size, 2);
});

for (const [name, play] of Object.entries({ 'a lost answer': cut, 'a 500': refuse(500, 'internal_error') })) {
  test(`a POST without a key is not sent again after ${name}`, async t => {
    const { trilho, requests } = await stage(t, [play]);
    assert.equal((await errorOf(trilho.charges.cancel('one'))).isUncertain, true);
    assert.equal((await errorOf(trilho.request('POST', '/charges', { body: charge }))).isUncertain, true);
    assert.equal(requests.length, 2);
  });
}

test('a POST without a key is sent again when nothing can have been done', async t => {
  const plays = [refuse(429, 'rate_limited'), refuse(503, 'overloaded'), refuse(503, 'stopping'), answer(200, GETS)];
  const { trilho, requests } = await stage(t, plays);
  assert.deepEqual(await trilho.charges.cancel('one'), GETS);
  assert.equal(requests.length, 4);
  const gone = await stage(t, []);
  await gone.close();
  const error = await errorOf(gone.trilho.charges.cancel('one'));
  assert.equal(gone.pauses.length, 3);
  assert.deepEqual([error.code, error.isUncertain], ['connection_failed', false]);
  assert.match(error.message, /ECONNREFUSED/);
});

test('an attempt that may have arrived stays in the error of a later one', async t => {
  const { trilho } = await stage(t, [cut, refuse(429, 'rate_limited')]);
  const error = await errorOf(trilho.charges.create(charge));
  assert.deepEqual([error.code, error.isUncertain], ['rate_limited', true]);
});

test('Retry-After is waited for, unless it is too long', async t => {
  const date = new Date(Date.now() + 50_000).toUTCString();
  const later = (text: string) => refuse(503, 'overloaded', { 'retry-after': text });
  const { trilho, requests, pauses } = await stage(t, [later('7'), later(date), answer(200, GETS), later('3600')]);
  await trilho.charges.get('one');
  assert.ok(pauses[0]! >= 7_000 && pauses[0]! < 7_500);
  assert.ok(pauses[1]! > 7_500 && pauses[1]! < 51_000);
  assert.equal((await errorOf(trilho.charges.get('one'))).retryAfterMs, 3_600_000);
  assert.equal(requests.length, 4);
});

test('each attempt has its time-out, also while its body arrives', async t => {
  const half: Play = response => void response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
  const { trilho, requests } = await stage(t, [silent, half, answer(200, GETS), silent]);
  assert.deepEqual(await trilho.charges.get('one', { timeoutMs: 100 }), GETS);
  const error = await errorOf(trilho.charges.cancel('one', { timeoutMs: 100 }));
  assert.deepEqual([error.code, error.isUncertain, requests.length], ['timeout', true, 4]);
});

test('an abort ends a call at once: before it, in an attempt, and in a pause', async t => {
  const leave = new AbortController();
  const reason = new Error('enough');
  const { trilho, requests } = await stage(t, [() => leave.abort(reason)]);
  await assert.rejects(trilho.charges.get('one', { signal: leave.signal }), reason);
  await assert.rejects(trilho.charges.get('one', { signal: leave.signal }), reason);
  assert.equal(requests.length, 1);

  const pause = new AbortController();
  let attempts = 0;
  const patient = createTrilho({
    url: 'http://127.0.0.1',
    fetch: async () => {
      attempts++;
      setTimeout(() => pause.abort(reason), 50);
      return Response.json({ code: 'overloaded' }, { status: 503, headers: { 'retry-after': '20' } });
    },
  });
  await assert.rejects(patient.charges.get('one', { signal: pause.signal }), reason);
  assert.equal(attempts, 1);
});

test('a stream connects again after its last cursor, and ends when that cannot help', async t => {
  const event = (id: string) => `id: ${id}\ndata: {"id":"${id}","type":"parrot.sang","object":{}}\n\n`;
  const send =
    (...pieces: readonly string[]): Play =>
    response => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const piece of pieces) response.write(piece);
      response.end();
    };
  const plays = [
    send('retry: 1000\nid: c0\n\n', event('c1').slice(0, 9), event('c1').slice(9), ': still here\nid: c2\n\n'),
    cut,
    refuse(503, 'stopping'),
    send(event('c3')),
    refuse(400, 'invalid_request'),
  ];
  const { trilho, requests } = await stage(t, plays);
  const seen: string[] = [];
  const following = (async () => {
    for await (const { event: one, cursor } of trilho.events.stream({ accountId: 'acme' })) {
      seen.push(`${one.type} ${cursor}`);
    }
  })();
  assert.equal((await errorOf(following)).code, 'invalid_request');
  assert.deepEqual(seen, ['parrot.sang c1', 'parrot.sang c3']);
  const cursors = requests.map(({ url }) => new URLSearchParams(url?.split('?')[1]).get('after'));
  assert.deepEqual(cursors, [null, 'c2', 'c2', 'c2', 'c3']);
  const few = trilho.events.stream({}, { retries: 0 });
  await assert.rejects(async () => {
    for await (const _ of few);
  }, TrilhoError);
});

test('decimals keep every digit, and what a newer service adds is passed on', async t => {
  const quantity = '0.123456789012345678';
  const body = `{"quantity":${quantity},"cost":1000000.10,"fee":0,"status":"levitating","amountCents":9007199254740991,"new":[1.5]}`;
  const raw: Play = response => void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  const { trilho } = await stage(t, [raw, answer(200, { counts: { fee: 3 }, percent: 2.5 })]);
  assert.deepEqual(await trilho.orders.get('one'), {
    ...{
      quantity,
      cost: '1000000.10',
      fee: '0',
      status: 'levitating',
      amountCents: Number.MAX_SAFE_INTEGER,
      new: [1.5],
    },
  });
  assert.deepEqual(await trilho.request('GET', '/boletos/returns').then(({ body: read }) => read), {
    ...{ counts: { fee: 3 }, percent: 2.5 },
  });
});

test('what is no answer of the service is an error, and no other address is followed', async t => {
  const html: Play = response => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello');
  const moved = answer(301, {}, { location: '/elsewhere' });
  const { trilho, requests } = await stage(t, [html, moved, answer(418, 'teapot')]);
  for (const status of [200, 301, 418]) {
    const error = await errorOf(trilho.charges.create(charge));
    assert.deepEqual([error.code, error.status], ['unexpected_answer', status]);
  }
  assert.deepEqual(
    requests.map(({ url }) => url),
    ['/charges', '/charges', '/charges'],
  );
});

test('an id cannot lead to another operation', async t => {
  const { trilho, requests } = await stage(t, [answer(200)]);
  for (const id of ['', '.', '..', undefined as unknown as string]) {
    assert.throws(() => trilho.webhooks.delete(id), { name: 'TypeError', message: 'id must be an id' });
  }
  await trilho.webhooks.delete('../charges?x#y');
  await trilho.boletos.takeFile('sicoob:main', 7);
  assert.deepEqual(
    requests.map(({ url }) => url),
    [...['/webhooks/..%2Fcharges%3Fx%23y', '/boletos/files/sicoob%3Amain/7/take']],
  );
});

test('a key is sent, and shown nowhere', async t => {
  const key = 'tk_live_very-secret';
  const { trilho, requests, close, url } = await stage(t, [refuse(401, 'unauthorized')], { key });
  const refused = await errorOf(trilho.charges.get('one'));
  assert.equal(requests[0]?.headers.authorization, `Bearer ${key}`);
  await close();
  const lost = await errorOf(trilho.charges.get('one'));
  for (const shown of [refused, lost, trilho]) {
    assert.ok(!inspect(shown, { depth: null, showHidden: true }).includes(key));
    assert.ok(!JSON.stringify(shown).includes(key));
  }
  const messageOf = (options: ClientOptions) => {
    try {
      createTrilho(options);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  for (const bad of [`${key}\n`, `${key}é`, '', `a ${key}`]) {
    assert.equal(messageOf({ url, key: bad }), 'key must be printable ASCII without blanks');
  }
  for (const bad of [`http://user:${key}@x`, key, `http://x?key=${key}`, `ftp://${key}`]) {
    assert.match(String(messageOf({ url: bad })), /^url must (?!.*secret)/);
  }
  assert.throws(() => trilho.charges.get('one', { headers: { 'x-own': `${key}\n\0` } }), /^TypeError: headers must be/);
  assert.throws(() => trilho.charges.create(charge, { idempotencyKey: `${key}\n` }), /^TypeError: idempotencyKey must/);
});

test('another fetch replaces that of the runtime, and is called without this', async () => {
  const asked: string[] = [];
  const own = createTrilho({
    url: 'https://pay.example/trilho/',
    fetch: async function (this: unknown, input, init) {
      assert.equal(this, undefined);
      asked.push(`${init?.method} ${String(input)}`);
      return Response.json(GETS);
    },
  });
  assert.deepEqual(await own.charges.get('one'), GETS);
  assert.deepEqual(asked, ['GET https://pay.example/trilho/charges/one']);
});
