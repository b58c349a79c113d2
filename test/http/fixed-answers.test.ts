// Answers that are the same for all callers: made once, compressed once, and not sent again to a client that has them. And clients that do not read.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fastify } from 'fastify';
import pg from 'pg';
import { fixedAnswer } from '../../src/http/server/fixed-answer.ts';
import { createLog } from '../../src/lib/log.ts';
import { chargeBody } from '../harness/bodies.ts';
import { until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
let closed: Promise<void>;
before(async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  closed = promise;
  const write = (line: string) => {
    if (line.includes('does not read')) resolve();
  };
  service = await startService({ unreadLimitMs: 500, log: createLog('info', { write }) });
});
after(() => service.stop());

/** The raw answer, not decompressed. */
async function ask(path: string, lines: readonly string[] = []) {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.write([`GET ${path} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines, '', ''].join('\r\n'));
  const pieces: Buffer[] = [];
  for await (const piece of socket) pieces.push(piece);
  const all = Buffer.concat(pieces);
  const bodyAt = all.indexOf('\r\n\r\n') + 4;
  const [statusLine = '', ...rest] = all.toString('latin1', 0, bodyAt - 4).split('\r\n');
  const headers = new Headers(rest.map(line => line.split(/: (.*)/s, 2) as [string, string]));
  return { status: Number(statusLine.split(' ')[1]), headers, body: all.subarray(bodyAt) };
}

for (const path of ['/openapi.json', '/docs/', '/docs/js/scalar.js']) {
  describe(path, () => {
    test('is encoded as the caller accepts it', async () => {
      const plain = await ask(path);
      assert.equal(plain.status, 200);
      assert.equal(plain.headers.get('content-encoding'), null);
      for (const [accepted, encoding] of [
        ['br', 'br'],
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['GZIP;q=0.5', 'gzip'],
        ['br;q=0, gzip', 'gzip'],
        ['*', 'br'],
        ['identity', null],
        ['deflate, br;q=0.0', null],
        ['', null],
      ] as const) {
        const { headers, body } = await ask(path, [`Accept-Encoding: ${accepted}`]);
        assert.equal(headers.get('content-encoding'), encoding, accepted);
        assert.equal(headers.get('vary'), 'Accept-Encoding');
        const read = encoding === 'br' ? brotliDecompressSync(body) : encoding === 'gzip' ? gunzipSync(body) : body;
        assert.ok(read.equals(plain.body), accepted);
        if (encoding !== null) assert.ok(body.length < plain.body.length, accepted);
      }
    });

    test('is not sent again to a caller that has it', async () => {
      for (const accepted of ['br', 'gzip', 'identity']) {
        const encoding = `Accept-Encoding: ${accepted}`;
        const etag = (await ask(path, [encoding])).headers.get('etag') ?? '';
        assert.match(etag, /^"[\w-]+"$/);
        for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
          const { status, headers, body } = await ask(path, [encoding, `If-None-Match: ${known}`]);
          assert.deepEqual([status, body.length, headers.get('etag')], [304, 0, etag], known);
        }
        assert.equal((await ask(path, [encoding, 'If-None-Match: "other"'])).status, 200);
      }
    });
  });
}

test('an answer is made once for all callers and encodings; after a failure it is made again', async () => {
  let made = 0;
  const app = fastify();
  app.get(
    '/',
    fixedAnswer('text/plain', async () => {
      if (++made === 1) throw new Error('not yet');
      return `made ${made} times`;
    }),
  );
  const askIn = (encoding: string) => app.inject({ url: '/', headers: { 'accept-encoding': encoding } });
  assert.equal((await askIn('identity')).statusCode, 500);
  const answers = await Promise.all(['identity', 'identity', 'gzip', 'br', 'br'].map(askIn));
  assert.equal((await askIn('identity')).payload, 'made 2 times');
  assert.equal(made, 2);
  assert.equal(new Set(answers.map(({ headers }) => headers.etag)).size, 3);
});

/** Other tests use the same server. */
const WAITING = `
  select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;

test('a connection that waits for an answer stays open, and an idle one is closed', async t => {
  // Long enough for a busy machine to pass the request to the service.
  const impatient = await startService({ unreadLimitMs: 2_000 });
  t.after(() => impatient.stop());
  const { id } = (await impatient.post('/charges', chargeBody())).json;
  const holder = new pg.Client({ connectionString: impatient.databaseUrl });
  await holder.connect();
  await holder.query('begin; select from charges for update');
  const owed = impatient.post(`/charges/${id}/cancel`, {});
  const waits = async () => (await holder.query(WAITING)).rowCount;
  await until('the request to wait for the charge', waits);
  const { hostname, port } = new URL(impatient.url);
  const idle = connect(Number(port), hostname);
  await once(idle.resume(), 'close');
  await holder.end();
  assert.equal((await owed).status, 200);
});

test('a connection whose caller does not read is closed; one that reads gets everything', async () => {
  const { length } = (await ask('/docs/js/scalar.js')).body;
  const count = 30;
  const request = 'GET /docs/js/scalar.js HTTP/1.1\r\nHost: a\r\n';
  const requests = `${`${request}\r\n`.repeat(count - 1)}${request}Connection: close\r\n\r\n`;
  const open = async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(requests);
    return socket;
  };
  const sizeOf = async (socket: AsyncIterable<Buffer>) => {
    let size = 0;
    for await (const piece of socket) size += piece.length;
    return size;
  };
  const deaf = await open();
  deaf.pause();
  assert.ok((await sizeOf(await open())) > count * length);
  await closed;
  const taken = await sizeOf(deaf).catch(() => 0);
  assert.ok(taken < count * length, `${taken} of ${count * length}`);
});
