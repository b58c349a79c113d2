// What applies to every request.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { PROBLEMS } from '../../src/api/problem-kinds.ts';
import { OUTAGES } from '../../src/lib/errors.ts';
import { escapeHtml } from '../../src/web/html.ts';
import { postAtOnce } from '../harness/at-once.ts';
import { chargeBody } from '../harness/bodies.ts';
import { recordingLog } from '../harness/log.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { assertRawProblem } from './raw-problem.ts';

let service: Service;
const { log, lines } = recordingLog();
before(async () => {
  service = await startService({ log });
});
after(() => service.stop());

function assertProblem(answer: Answer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
  assert.equal(answer.json.status, status);
  assert.equal(answer.json.code, code);
  assert.equal(answer.json.type, `/problems/${code}`);
  assert.equal(answer.json.requestId, answer.headers.get('x-request-id'));
  assert.ok(answer.json.title && answer.json.detail);
}

const postText = (body: RequestInit['body'] & {}, contentType?: string) =>
  service.send('/charges', {
    method: 'POST',
    body,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  });

describe('a problem', () => {
  test('is answered on an unknown path', async () => {
    assertProblem(await service.get('/nothing'), 404, 'not_found');
    assertProblem(await service.get('/charges/a/b/c'), 404, 'not_found');
    assertProblem(await service.get(`/charges/${'x'.repeat(600)}`), 404, 'not_found');
  });

  test('is answered to a wrong method, naming the allowed ones', async () => {
    for (const [path, method, allow] of [
      ['/charges', 'DELETE', 'GET, HEAD, POST'],
      ['/charges', 'OPTIONS', 'GET, HEAD, POST'],
      ['/crypto/transactions', 'DELETE', 'GET, HEAD, POST'],
      ['/crypto/transactions?page=1', 'PUT', 'GET, HEAD, POST'],
      ['/charges/019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17', 'PATCH', 'GET, HEAD'],
      ['/crypto/transactions', 'PROPFIND', 'GET, HEAD, POST'],
      ['/charges', 'QUERY', 'GET, HEAD, POST'],
    ] as const) {
      const answer = await service.send(path, { method });
      assertProblem(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), allow);
    }
  });

  test('is answered to a body that is not JSON', async () => {
    for (const body of ['{', '{"a":}', 'undefined', '{"accountId":"a",}', "{'a':1}", '\ufeff\ufeff{}']) {
      assertProblem(await postText(body, 'application/json'), 400, 'malformed_request');
    }
  });

  test('names the place at which a body stops being JSON, without quoting it', async () => {
    for (const [body, place] of [
      ['{"a":secret}', 'line 1, column 6'],
      ['{\n  "a": 1,\n  "b": [1, 2,, 3]\n}', 'line 3, column 14'],
      ['{"a": "cut off', 'line 1, column 7'],
      ['{"a": 1} {', 'line 1, column 10'],
      ['{"a": 01}', 'line 1, column 8'],
    ]) {
      const answer = await postText(body!, 'application/json');
      assertProblem(answer, 400, 'malformed_request');
      assert.equal(answer.json.detail, `The body is not valid JSON: ${place}.`);
    }
  });

  test('is answered to a repeated key in one object, of which the last would win', async () => {
    const text = JSON.stringify(chargeBody({ amountCents: 1 }));
    for (const [body, path] of [
      [text.replace(/}$/, ',"amountCents":100000}'), 'amountCents'],
      [text.replace(/}$/, ',"amount\\u0043ents":100000}'), 'amountCents'],
      [text.replace('"customer":{', '"customer":{"name":"Another",'), 'customer.name'],
    ]) {
      const answer = await postText(body!, 'application/json');
      assertProblem(answer, 400, 'invalid_request');
      const [fault] = answer.json.errors;
      assert.deepEqual([fault.path, fault.code], [path, 'repeated'], answer.text);
      assert.match(fault.message, /^is repeated in its object: line 1, column \d+$/);
    }
    const metadata = { note: '{"a":1,"a":2}', a: '"note":' };
    assert.equal((await service.post('/charges', chargeBody({ metadata }))).status, 201, 'text is not a key');
  });

  test('is answered to an account id that looks like another one', async () => {
    for (const accountId of ['acme ', ' acme', 'Sa\u0303o', 'acme\u200b']) {
      const answer = await service.post('/charges', chargeBody({ accountId }));
      assertProblem(answer, 400, 'invalid_request');
      assert.deepEqual(
        answer.json.errors.map(({ path }: { path: string }) => path),
        ['accountId'],
      );
    }
    assert.equal((await service.post('/charges', chargeBody({ accountId: 'São João' }))).status, 201);
  });

  test('is answered to a body that is not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"accountId":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    assertProblem(await postText(body, 'application/json'), 400, 'malformed_request');
  });

  test('is answered to a body of another type', async () => {
    const body = JSON.stringify(chargeBody());
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/json; charset=latin1',
      'nonsense',
    ]) {
      assertProblem(await postText(body, type), 415, 'unsupported_media_type');
    }
    assertProblem(await postText(Buffer.from(body)), 415, 'unsupported_media_type');
    assertProblem(
      await service.send('/charges', {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      }),
      415,
      'unsupported_media_type',
    );
  });

  test('is not caused by a body with the charset UTF-8', async () => {
    assert.equal((await postText(JSON.stringify(chargeBody()), 'application/json; charset="UTF-8"')).status, 201);
  });

  test('is answered to a body over 64 kB', async () => {
    const large = JSON.stringify(chargeBody({ sourceKey: 'x'.repeat(65_536) }));
    assertProblem(await postText(large, 'application/json'), 413, 'payload_too_large');
  });

  test('is answered to an address in bad encoding', async () => {
    for (const path of [
      '/charges/%zz',
      '/crypto/transactions?symbol=%zz',
      '/crypto/transactions?from=%ff',
      '/%c0%80',
    ]) {
      assertProblem(await service.get(path), 400, 'malformed_request');
    }
  });

  test('is answered to an Idempotency-Key that is empty or too long', async () => {
    for (const key of ['', 'x'.repeat(256)]) {
      const answer = await service.post('/charges', chargeBody(), { 'idempotency-key': key });
      assertProblem(answer, 400, 'invalid_request');
      assert.equal(answer.json.errors[0].path, 'Idempotency-Key');
    }
  });

  for (const [what, bytes, status, code] of [
    ['that is not HTTP', 'nonsense\r\n\r\n', 400, 'malformed_request'],
    [
      'with headers over 16 kB',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ] as const) {
    test(`is answered to a request ${what}`, () => assertRawProblem({ service, lines, bytes, status, code }));
  }

  test('has a page that explains the problem', async () => {
    const { json } = await service.get('/nothing');
    const page = await service.get(json.type);
    assert.equal(page.status, 200);
    assert.match(page.text, /There is nothing at this address/);
    assertProblem(await service.get('/problems/toString'), 404, 'not_found');
  });
});

test('the page of every problem has an example, a next step and a way back', async () => {
  for (const [code, { nextStep }] of Object.entries(PROBLEMS)) {
    const { status, text } = await service.get(`/problems/${code}`);
    assert.equal(status, 200, code);
    assert.ok(text.includes('href="/problems"'), code);
    assert.ok(text.includes(escapeHtml(nextStep)), code);
    const example = /<pre><code>([\s\S]+?)<\/code><\/pre>/.exec(text)?.[1] ?? '';
    assert.equal(JSON.parse(example.replaceAll('&quot;', '"')).code, code);
  }
});

test('every outage has its own code and page, and a time to retry', async () => {
  for (const code of OUTAGES) {
    assert.equal(PROBLEMS[code].status, 503, code);
    assert.ok(PROBLEMS[code].retryAfterSeconds > 0, code);
    const page = await service.get(`/problems/${code}`);
    assert.equal(page.status, 200, code);
    assert.ok(page.text.includes(code));
  }
});

describe('every answer', () => {
  test('is answered although an earlier body on the connection could not be read', async () => {
    const unread = { body: chargeBody(), headers: { 'content-type': 'application/json; charset=utf-16' } };
    const read = () => ({ body: chargeBody({ methods: ['pix'] }) });
    const answers = await postAtOnce(service.url, '/charges', [read(), unread, read(), unread, read()]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 415, 201, 415, 201],
    );
  });

  test('has a request id: the caller’s if it is valid, else a new one', async () => {
    assert.equal(
      (await service.get('/livez', { 'x-request-id': '0af7651916cd43dd8448eb211c80319c' })).headers.get('x-request-id'),
      '0af7651916cd43dd8448eb211c80319c',
    );
    for (const unfit of ['a b', 'x'.repeat(129), '529.982.247-25', '52998224725', 'maria']) {
      assert.match(
        (await service.get('/livez', { 'x-request-id': unfit })).headers.get('x-request-id')!,
        /^[0-9a-f-]{36}$/,
      );
    }
  });

  test('has headers that restrict what a browser does with it', async () => {
    for (const path of [
      '/crypto/transactions',
      '/nothing',
      '/',
      '/docs/',
      '/charges/%zz',
      `/charges/${'x'.repeat(600)}`,
    ]) {
      const { headers } = await service.get(path);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.match(headers.get('content-security-policy')!, /default-src 'none'/);
    }
  });
});

test('HEAD answers what GET would, without a body', async () => {
  const answer = await service.send('/crypto/transactions', { method: 'HEAD' });
  assert.equal(answer.status, 200);
  assert.equal(answer.text, '');
});

test('the service reports that it is alive and ready', async () => {
  assert.deepEqual((await service.get('/livez')).json, { status: 'ok' });
  assert.deepEqual((await service.get('/readyz')).json, { status: 'ok' });
});

test('readiness waits for every migration', async () => {
  const other = await startService();
  try {
    await other.sql(`delete from schema_migrations where name like '0004%'`);
    assertProblem(await other.get('/readyz'), 503, 'not_configured');
  } finally {
    await other.stop();
  }
});

test('the page for people links to both operations and the reference', async () => {
  const { status, text } = await service.get('/');
  assert.equal(status, 200);
  for (const part of ['/docs/', '/openapi.json', '/crypto/transactions', '/charges'])
    assert.ok(text.includes(part), part);
});

test('no document, name, address or key is logged in any case', async () => {
  const secrets = [
    'Zebulon Quixote',
    '52998224725',
    '529.982.247-25',
    'Rua Secreta 99',
    'key-7f3a',
    'ext-secret',
    'acct-secret',
  ];
  const customer = { name: secrets[0], document: secrets[2], address: { street: secrets[3] } };
  const body = chargeBody({ accountId: secrets[6], externalId: secrets[5], customer });
  lines.length = 0;
  await service.post('/charges', body, { 'idempotency-key': 'key-7f3a', authorization: 'Bearer key-7f3a' });
  await service.post('/charges', { ...body, amountCents: 1 }, { 'idempotency-key': 'key-7f3a' });
  await service.post('/charges', { ...body, dueAt: secrets[0] });
  await service.get(`/crypto/transactions?wallet=${encodeURIComponent(secrets[0]!)}`);
  await service.get(`/charges/${encodeURIComponent(secrets[0]!)}`);
  await service.get(`/${encodeURIComponent(secrets[0]!)}`, { 'x-request-id': '529.982.247-25' });
  // An internal error: the driver's own message would quote the values.
  await service.sql('alter table charges add constraint broken check (amount_cents < 2) not valid');
  const failed = await service.post('/charges', { ...body, externalId: 'ext-secret-2' });
  await service.sql('alter table charges drop constraint broken');
  assertProblem(failed, 500, 'internal_error');
  assert.ok(!/constraint|charges|relation/.test(failed.json.detail));
  await service.runJobs();
  assert.ok(lines.length >= 7, 'something was logged');
  for (const line of lines) for (const secret of secrets) assert.ok(!line.includes(secret), `${secret} in ${line}`);
  assert.ok(
    lines.some(line => JSON.parse(line).error?.constraint === 'broken'),
    'the fault can be found',
  );
});
