// Bytes that are not a request, alone and after a valid one: they are refused, and never with the answer of another request.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

type Received = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Sends the pieces one after another on one connection, and returns every answer until it was closed. */
async function exchange(pieces: string | readonly string[], { url } = service): Promise<Received[]> {
  const { hostname, port } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  await once(socket, 'connect');
  const received: Buffer[] = [];
  socket.on('data', chunk => received.push(chunk));
  const closed = once(socket, 'close');
  for (const piece of [pieces].flat()) await new Promise(resolve => socket.write(piece, resolve));
  await closed;
  return [...answersIn(Buffer.concat(received))];
}

/** Fails on an incomplete answer. */
function* answersIn(bytes: Buffer): Generator<Received> {
  for (let at = 0; at < bytes.length; ) {
    const bodyAt = bytes.indexOf('\r\n\r\n', at) + 4;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, bodyAt - 4).split('\r\n');
    assert.match(statusLine, /^HTTP\/1\.1 \d{3} /);
    const headers = new Headers(
      lines.map((line): [string, string] => [line.split(':')[0]!, line.replace(/^.*?: ?/, '')]),
    );
    at = bodyAt + Number(headers.get('content-length'));
    assert.ok(at <= bytes.length, 'the answer is whole');
    yield { status: Number(statusLine.split(' ')[1]), headers, text: bytes.toString('utf8', bodyAt, at) };
  }
}

function post(headers: Record<string, string> = {}): { head: string; body: string } {
  const body = JSON.stringify(chargeBody({ methods: ['pix'] }));
  const all = { host: 'a', 'content-type': 'application/json', 'content-length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return { head: `POST /charges HTTP/1.1\r\n${lines.join('')}\r\n`, body };
}

async function assertCreated({ status, text }: Received): Promise<void> {
  assert.equal(status, 201, text);
  assert.equal((await service.get(`/charges/${JSON.parse(text).id}`)).status, 200);
}

const GET = 'GET /livez HTTP/1.1\r\nHost: a\r\n';
const BOTH_LENGTHS =
  'POST /charges HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
const CHUNKED =
  'POST /charges HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';

/** What follows a charge, and the status of its own answer. */
const BEHIND: readonly (readonly [string, string, number])[] = [
  ['letters', 'XXXX', 400],
  ['one byte too many', '\u007f', 400],
  ['zeros', '\0\0\0\0', 400],
  ['a request with two lengths', BOTH_LENGTHS, 400],
  ['headers of 20 kB', `${GET}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a header without a name', `${GET}: a\r\n\r\n`, 400],
  ['a chunk without a length', `${CHUNKED}zz\r\n`, 400],
  ['an unknown version', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n', 400],
];

describe('answered separately from a charge before it, and refused when alone:', () => {
  for (const [what, behind, status] of BEHIND) {
    test(what, async () => {
      const [alone, ...none] = await exchange(behind);
      assert.equal(alone?.status, status);
      assert.equal(alone.headers.get('connection'), 'close');
      assert.equal(JSON.parse(alone.text).status, status);
      assert.deepEqual(none, []);
      const { head, body } = post();
      const all = head + body + behind;
      for (const cut of [0, 10, head.length + 1, head.length + body.length, head.length + body.length + 1]) {
        const [created, refused] = await exchange([all.slice(0, cut), all.slice(cut)]);
        // The connection may be closed before the charge was answered: its caller retries.
        if (created) await assertCreated(created);
        if (refused) assert.equal(refused.status, status, `cut at ${cut}`);
      }
    });
  }

  test('a request after one with Connection: close', async () => {
    const { head, body } = post({ connection: 'close' });
    for (const pieces of [[`${head}${body}${GET}\r\n`], [head, `${body}${GET}\r\n`], [head + body, `${GET}\r\n`]]) {
      const [created, ...others] = await exchange(pieces);
      if (created) await assertCreated(created);
      assert.deepEqual(others, [], 'no answer follows the last one');
    }
  });

  test('many more bytes than a connection buffers', async () => {
    const answers = await exchange(Array(40).fill('X'.repeat(65_536)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400],
    );
  });
});

test('all charges of a connection get their answers, in the order in which they were sent', async () => {
  const whole = (headers = {}) => Object.values(post(headers)).join('');
  const answers = await exchange(`${whole()}${whole()}${whole({ connection: 'close' })}`);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201],
  );
  assert.equal(new Set(answers.map(({ text }) => JSON.parse(text).id)).size, 3);
});

test('a body that ends in invalid bytes is refused once, and creates no charge', async () => {
  const { json } = await service.get('/charges');
  const { body } = post();
  const answers = await exchange([
    `${CHUNKED}${body.length.toString(16)}\r\n${body.slice(0, 20)}`,
    `${body.slice(20)}\r\nzz\r\n`,
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [400],
  );
  assert.equal((await service.get('/charges')).json.total, json.total);
});

test('an answer that was given before the body had arrived is the only one to that request', async () => {
  const head = 'POST /charges HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n';
  const answers = await exchange([`${head}3\r\nabc\r\n`, 'zz\r\n']);
  assert.ok(answers.length === 1 && [400, 415].includes(answers[0]!.status), JSON.stringify(answers));
});

test('two Host headers are refused, equal or not; a single empty one is accepted', async () => {
  const answersTo = async (lines: string) =>
    (await exchange(`GET /livez HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)).map(({ status }) => status);
  assert.deepEqual(await answersTo('Host: a\r\nHost: b\r\n'), [400]);
  assert.deepEqual(await answersTo('Host: a\r\nhost: a\r\n'), [400]);
  assert.deepEqual(await answersTo('Host:\r\n'), [200]);
  assert.deepEqual(await answersTo(''), [400]);
});

test('a CONNECT opens no tunnel: the connection is closed', async () => {
  assert.deepEqual(await exchange('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'), []);
});

test('two different Authorization headers are 401; the same one twice counts as one', async t => {
  const live = await startService({ mode: 'live' });
  t.after(() => live.stop());
  const [one, other] = [(await live.makeKey('acme')).text, (await live.makeKey('other')).text];
  const statusWith = async (...keys: readonly string[]) => {
    const lines = keys.map(key => `Authorization: Bearer ${key}\r\n`).join('');
    const [answer] = await exchange(`GET /charges HTTP/1.1\r\nHost: a\r\n${lines}Connection: close\r\n\r\n`, live);
    return answer?.status;
  };
  assert.equal(await statusWith(one), 200);
  assert.equal(await statusWith(one, one), 200);
  assert.equal(await statusWith(one, other), 401);
  assert.equal(await statusWith(other, one), 401);
  assert.equal(await statusWith(one, 'nonsense'), 401);
});
