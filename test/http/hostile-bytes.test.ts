// Bytes that are no request, behind one that was carried out: the caller still learns what became of it.
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

/** Sends the pieces one after the other, on one connection, and returns every answer that came until it was closed. */
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

/** Refuses bytes that are no whole answer. */
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

/** As `exchange`, but says after the bytes that no more will come, and goes on reading. */
async function halfClose(bytes: string): Promise<Received[]> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const received: Buffer[] = [];
  socket.on('data', chunk => received.push(chunk));
  socket.end(bytes);
  await once(socket, 'end');
  return [...answersIn(Buffer.concat(received))];
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

/** What comes behind the charge, and what is answered to it. */
const BEHIND: readonly (readonly [string, string, number])[] = [
  ['letters', 'XXXX', 400],
  ['one byte too many', '\u007f', 400],
  ['zeros', '\0\0\0\0', 400],
  ['a request with two lengths', BOTH_LENGTHS, 400],
  ['headers of 20 kB', `${GET}X: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['a header without a name', `${GET}: a\r\n\r\n`, 400],
  ['a chunk without a length', `${CHUNKED}zz\r\n`, 400],
  ['a version that is none', 'GET / HTTP/9.9\r\nHost: a\r\n\r\n', 400],
  ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 405],
  ['a tunnel with bytes in it', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\nXXXX', 405],
];

describe('a charge gets its answer, whole and first, though behind it come', () => {
  for (const [what, behind, status] of BEHIND) {
    test(what, async () => {
      const { head, body } = post();
      const all = head + body + behind;
      const cuts = [0, 10, head.length, head.length + 1, head.length + body.length - 1, head.length + body.length];
      for (const cut of [...cuts, head.length + body.length + 1]) {
        const [created, refused, ...others] = await exchange([all.slice(0, cut), all.slice(cut)]);
        await assertCreated(created!);
        assert.equal(refused?.status, status, `cut at ${cut}`);
        assert.equal(refused.headers.get('connection'), 'close');
        assert.equal(JSON.parse(refused.text).status, status);
        assert.deepEqual(others, []);
      }
    });
  }

  test('a request, after it had said that it is the last', async () => {
    const { head, body } = post({ connection: 'close' });
    for (const pieces of [[`${head}${body}${GET}\r\n`], [head, `${body}${GET}\r\n`], [head + body, `${GET}\r\n`]]) {
      const [created, ...others] = await exchange(pieces);
      await assertCreated(created!);
      assert.equal(created?.headers.get('connection'), 'close');
      assert.deepEqual(others, [], 'no answer follows the last one');
    }
  });

  test('many more letters than a connection holds', async () => {
    const { head, body } = post();
    const [created, refused, ...others] = await exchange([head + body, ...Array(40).fill('X'.repeat(65_536))]);
    await assertCreated(created!);
    assert.equal(refused?.status, 400);
    assert.deepEqual(others, []);
  });
});

test('all charges of a connection get their answers, before the bytes behind them are refused', async () => {
  const whole = () => Object.values(post()).join('');
  const answers = await exchange(`${whole()}${whole()}${whole()}XXXX`);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 400],
  );
  assert.equal(new Set(answers.slice(0, 3).map(({ text }) => JSON.parse(text).id)).size, 3);
});

test('a body that breaks off in bad bytes is refused once, and makes no charge', async () => {
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

test('two Host headers are refused, the same or not; one that is empty is enough', async () => {
  const answersTo = async (lines: string) =>
    (await exchange(`GET /livez HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`)).map(({ status }) => status);
  assert.deepEqual(await answersTo('Host: a\r\nHost: b\r\n'), [400]);
  assert.deepEqual(await answersTo('Host: a\r\nhost: a\r\n'), [400]);
  assert.deepEqual(await answersTo('Host:\r\n'), [200]);
  assert.deepEqual(await answersTo(''), [400]);
});

test('a CONNECT is answered and closed, with nothing before it too', async () => {
  const [refused, ...others] = await exchange('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
  assert.equal(refused?.status, 405);
  assert.equal(JSON.parse(refused.text).code, 'method_not_allowed');
  assert.deepEqual(others, []);
});

test('two different Authorization headers are 401, the same one twice is one', async t => {
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

describe('a caller that says after its request that it sends nothing more', () => {
  const charge = () => Object.values(post()).join('');

  test('gets its answer, and then the connection ends', async () => {
    const answers = await halfClose(charge());
    assert.equal(answers.length, 1);
    await assertCreated(answers[0]!);
  });

  test('gets the answers to all requests that it had sent', async () => {
    const answers = await halfClose(charge() + charge() + charge());
    assert.equal(answers.length, 3);
    for (const answer of answers) await assertCreated(answer);
  });

  test('gets its answer before the refusal of what came behind it', async () => {
    const [made, refused, ...others] = await halfClose(`${charge()}XXXX`);
    await assertCreated(made!);
    assert.equal(refused?.status, 400);
    assert.deepEqual(others, []);
  });

  test('in the middle of a request is told that it cannot be read', async () => {
    const [made, refused] = await halfClose(charge() + charge().slice(0, -10));
    await assertCreated(made!);
    assert.equal(refused?.status, 400);
    assert.deepEqual(
      (await halfClose(charge().slice(0, -10))).map(({ status }) => status),
      [400],
    );
  });

  test('without a request, or after a tunnel, gets no more than that', async () => {
    assert.deepEqual(await halfClose(''), []);
    const answers = await halfClose('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n');
    assert.deepEqual(
      answers.map(({ status }) => status),
      [405],
    );
  });
});
