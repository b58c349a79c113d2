// Rate limits of a caller, and the limit of concurrent requests.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { newKey } from '../../src/accounts/api-key.ts';
import { readConfig } from '../../src/config/config.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { recordingLog } from '../harness/log.ts';
import { type Service, startService } from '../harness/service.ts';

const bearer = (key: { text: string }) => ({ authorization: `Bearer ${key.text}` });
const limitsOf = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map(name => headers.get(`ratelimit-${name}`));

test('live has limits unless they are turned off; a sandbox has them only if they are set', () => {
  const limits = (environment: Record<string, string>) => {
    const { rateLimit, maxInFlight } = readConfig(environment);
    return [rateLimit, maxInFlight];
  };
  assert.deepEqual(limits({}), [0, 0]);
  assert.deepEqual(limits({ TRILHO_MODE: 'live' }), [100, 1000]);
  assert.deepEqual(limits({ TRILHO_MODE: 'live', TRILHO_RATE_LIMIT: '0', TRILHO_MAX_IN_FLIGHT: '0' }), [0, 0]);
  assert.throws(() => readConfig({ TRILHO_RATE_LIMIT: '-1', TRILHO_MAX_IN_FLIGHT: 'many' }), /RATE_LIMIT.*\n.*MAX_IN/);
});

test('a key may send a number of requests a second, and its answers show how many are left', async t => {
  const service = await startService({ mode: 'live', rails: sandboxRails, env: { TRILHO_RATE_LIMIT: '3' } });
  t.after(() => service.stop());
  const [one, other] = [await service.makeKey('acme'), await service.makeKey('acme')];
  for (const left of ['2', '1', '0']) {
    const answer = await service.get('/charges', bearer(one));
    assert.equal(answer.status, 200);
    assert.deepEqual(limitsOf(answer), ['3', left, '1']);
  }
  // A valid charge is not created.
  const refused = await service.post('/charges', chargeBody(), bearer(one));
  assert.equal(refused.status, 429);
  assert.equal(refused.json.code, 'rate_limited');
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.deepEqual(limitsOf(refused), ['3', '0', '1']);

  const another = await service.get('/charges', bearer(other));
  assert.equal(another.json.total, 0);
  assert.deepEqual(limitsOf(another), ['3', '2', '1']);

  // A third of a second is one request.
  service.clock.advanceMs(334);
  assert.equal((await service.get('/charges', bearer(one))).status, 200);
  assert.equal((await service.get('/charges', bearer(one))).status, 429);
  service.clock.advanceMs(3_600_000);
  assert.deepEqual(limitsOf(await service.get('/charges', bearer(one))), ['3', '2', '1']);
  // A clock that is set back changes nothing.
  service.clock.advanceMs(-3_600_000);
  assert.deepEqual(limitsOf(await service.get('/charges', bearer(one))), ['3', '1', '1']);
});

test('a request without the scope counts for its key; public ones and those without a key do not', async t => {
  const service = await startService({ mode: 'live', rails: sandboxRails, env: { TRILHO_RATE_LIMIT: '2' } });
  t.after(() => service.stop());
  const reader = await service.makeKey('acme', ['charges:read']);
  for (const status of [403, 403, 429]) {
    assert.equal((await service.get('/crypto/transactions', bearer(reader))).status, status);
  }
  for (let call = 0; call < 3; call++) {
    assert.equal((await service.get('/openapi.json')).status, 200);
    assert.equal((await service.get('/livez')).status, 200);
    const refused = await service.get('/charges', { authorization: 'Bearer nobody' });
    assert.equal(refused.status, 401);
    assert.deepEqual(limitsOf(refused), [null, null, null]);
  }
});

test('a sandbox with a limit counts by address; health checks are always answered', async t => {
  const service = await startService({ env: { TRILHO_RATE_LIMIT: '2' } });
  t.after(() => service.stop());
  const statuses = [];
  for (let call = 0; call < 3; call++) statuses.push((await service.get('/charges')).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal((await service.get('/livez')).status, 200);
  assert.equal((await service.get('/readyz')).status, 200);
});

describe('an address without a good key', () => {
  let service: Service;
  let key: { id: string; text: string };
  const strangers = ['/', '/openapi.json', '/docs/', '/problems', '/nothing', '/charges'];
  before(async () => {
    const env = { TRILHO_ADDRESS_LIMIT: '6', TRILHO_TRUST_PROXY: '127.0.0.1' };
    service = await startService({ mode: 'live', rails: sandboxRails, env });
    key = await service.makeKey('acme');
  });
  after(() => service.stop());
  /** As a proxy on this machine forwards it. */
  const from = async (address: string, path: string, headers: Record<string, string> = {}) =>
    fetch(service.url + path, { headers: { 'x-forwarded-for': address, ...headers } });

  test('has a limit a second for pages, unknown paths and operations that need a key', async () => {
    for (const path of strangers) assert.notEqual((await from('203.0.113.1', path)).status, 429, path);
    for (const path of strangers) {
      const refused = await from('203.0.113.1', path, path === '/charges' ? { 'x-api-key': newKey().text } : {});
      assert.equal(refused.status, 429, path);
      assert.equal(refused.headers.get('retry-after'), '1');
      assert.match(refused.headers.get('content-type') ?? '', /problem/);
    }
    // Another address is another caller, and probes are always answered.
    assert.equal((await from('203.0.113.2', '/openapi.json')).status, 200);
    for (const path of ['/livez', '/readyz']) assert.equal((await from('203.0.113.1', path)).status, 200);
    service.clock.advanceMs(1_000);
    assert.equal((await from('203.0.113.1', '/openapi.json')).status, 200);
  });

  test('is one network of IPv6 with all its addresses', async () => {
    for (let host = 1; host <= 6; host++) assert.equal((await from(`2001:db8:1:2::${host}`, '/problems')).status, 200);
    assert.equal((await from('2001:db8:1:2:a:b:c:d', '/problems')).status, 429);
    assert.equal((await from('2001:db8:1:3::1', '/problems')).status, 200);
  });

  test('does not block a key that this node has seen, and valid keys are not counted', async () => {
    const ask = (text: string) => from('203.0.113.3', '/charges', { authorization: `Bearer ${text}` });
    for (let call = 0; call < 10; call++) assert.equal((await ask(key.text)).status, 200);
    for (let call = 0; call < 6; call++) assert.equal((await ask(newKey().text)).status, 401);
    assert.equal((await ask(newKey().text)).status, 429);
    assert.equal((await ask(key.text)).status, 200);
    assert.equal((await ask((await service.makeKey('acme')).text)).status, 429, 'an unseen key is limited');
  });

  test('asks the database nothing once it is refused', async () => {
    const unknown = () => from('203.0.113.4', '/charges', { authorization: `Bearer ${newKey().text}` });
    for (let call = 0; call < 6; call++) assert.equal((await unknown()).status, 401);
    await service.sql('alter table api_keys rename to api_keys_away');
    try {
      assert.equal((await unknown()).status, 429);
    } finally {
      await service.sql('alter table api_keys_away rename to api_keys');
    }
  });
});

test('a forwarded address counts only from a trusted proxy', async t => {
  const service = await startService({ mode: 'live', rails: sandboxRails, env: { TRILHO_ADDRESS_LIMIT: '2' } });
  t.after(() => service.stop());
  const statuses = [];
  for (let host = 1; host <= 3; host++) {
    const headers = { 'x-forwarded-for': `203.0.113.${host}` };
    statuses.push((await fetch(`${service.url}/problems`, { headers })).status);
  }
  assert.deepEqual(statuses, [200, 200, 429]);
});

test('a proxy is named by address or network, and never as everybody', () => {
  for (const wrong of [
    'proxy',
    '10.0.0.0/33',
    '0.0.0.0/0',
    '10.0.0.1,,10.0.0.2',
    'true',
    '1',
    '::/0',
    '10.0.0.1/8/8',
  ]) {
    assert.throws(
      () => readConfig({ TRILHO_TRUST_PROXY: wrong }),
      /^StartError: TRILHO_TRUST_PROXY must be a list/,
      wrong,
    );
  }
});

test('a request above the limit in flight gets 503, and is accepted afterwards', async t => {
  const service = await startService({ env: { TRILHO_MAX_IN_FLIGHT: '2' } });
  t.after(() => service.stop());
  const held = await holdCharges(service);
  const waiting = ['one', 'two'].map(accountId => service.post('/charges', chargeBody({ accountId })));
  await held.untilWaiting(2);
  const refused = await service.get('/charges');
  assert.equal(refused.status, 503);
  assert.equal(refused.json.code, 'overloaded');
  assert.equal(refused.headers.get('retry-after'), '2');
  assert.equal((await service.get('/readyz')).status, 200);
  await held.release();
  for (const answer of await Promise.all(waiting)) assert.equal(answer.status, 201, answer.text);
  assert.equal((await service.get('/charges')).json.total, 2);
});

test('many requests that are refused with 503 share log lines, which count every one', async () => {
  const { log, lines } = recordingLog();
  const service = await startService({ env: { TRILHO_MAX_IN_FLIGHT: '1' }, log });
  const held = await holdCharges(service);
  const waiting = service.post('/charges', chargeBody());
  await held.untilWaiting(1);
  const answers = await Promise.all(Array.from({ length: 200 }, () => service.get('/charges')));
  await held.release();
  await waiting;
  // All of them, unless the machine is so slow that the charge gave up waiting.
  const refused = answers.filter(({ status }) => status === 503).length;
  assert.ok(refused > 10, `${refused} were refused`);
  // The counted ones are written.
  await service.stop();
  const about = (pattern: RegExp) =>
    lines
      .map(line => JSON.parse(line) as { msg: string; count?: number; status?: number; requestId?: string })
      .filter(({ msg, status = 503 }) => pattern.test(msg) && status === 503);
  for (const said of [about(/^requests? refused: too much/), about(/^(request|requests refused)$/)]) {
    assert.equal(
      said.reduce((sum, { count = 1 }) => sum + count, 0),
      refused,
    );
    assert.ok(said.length < refused / 2, `${said.length} lines`);
    assert.ok(said[0]?.requestId, 'the first has a line of its own');
  }
});

test('a caller with a slow body blocks no other', async t => {
  const service = await startService({ env: { TRILHO_MAX_IN_FLIGHT: '1' } });
  t.after(() => service.stop());
  const body = JSON.stringify(chargeBody());
  const slow = request(`${service.url}/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  });
  slow.flushHeaders();
  await once(slow, 'continue');
  const answer = await service.get('/charges');
  assert.equal(answer.status, 200, answer.text);
  slow.end(body);
  const [response] = await once(slow, 'response');
  assert.equal(response.statusCode, 201);
  response.resume();
});

test('callers who disconnect while their key is looked up take no place of those who send files', async t => {
  const service = await startService({ mode: 'live', rails: sandboxRails });
  t.after(() => service.stop());
  const headers = {
    ...bearer(await service.makeKey('acme', ['statements:write'])),
    'content-type': 'application/octet-stream',
  };
  const held = await hold(service, 'lock table api_keys in access exclusive mode');
  const gone = Array.from({ length: 4 }, () => {
    const sent = request(`${service.url}/boletos/returns`, { method: 'POST', headers });
    sent.on('error', () => {});
    sent.write('a file');
    return sent;
  });
  await held.untilWaiting(1);
  // The service has read all four when it answers one that came after them.
  assert.equal((await service.get('/livez')).status, 200);
  await Promise.all(gone.map(sent => new Promise(resolve => sent.destroy().once('close', resolve))));
  assert.equal((await service.get('/livez')).status, 200);
  await held.release();
  const answer = await fetch(`${service.url}/boletos/returns`, { method: 'POST', headers, body: 'a file' });
  assert.equal(answer.status, 400, await answer.text());
});

test('the page for statements accepts four files at a time, and refuses more before it reads them', async t => {
  const service = await startService();
  t.after(() => service.stop());
  const address = `${service.url}/dashboard/statements/upload`;
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'sec-fetch-site': 'same-origin' };
  const slow = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const sent = request(address, { method: 'POST', headers: { ...headers, expect: '100-continue' } });
      sent.flushHeaders();
      await once(sent, 'continue');
      return sent;
    }),
  );
  const upload = () => fetch(address, { method: 'POST', headers, body: 'no form' });
  const refused = await upload();
  assert.equal(refused.status, 503);
  assert.match(await refused.text(), /Too many files are being read/);
  for (const sent of slow) {
    sent.end('no form');
    const [response] = await once(sent, 'response');
    assert.equal(response.statusCode, 400);
    response.resume();
    await once(response, 'end');
  }
  assert.equal((await upload()).status, 400);
});

/** Delays writing charges, as a slow database would; with row locks, since a locked table makes the service refuse. */
async function holdCharges(service: Service) {
  await service.sql(
    `insert into accounts (id, created_at) select unnest(array['acme', 'one', 'two']), now() on conflict do nothing`,
  );
  return hold(service, 'select from accounts for update');
}

async function hold(service: Service, statement: string) {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return {
    untilWaiting: async (count: number) => {
      for (let look = 0; look < 5_000; look++) {
        const [row] = await service.sql<{ count: number }>(
          `select count(distinct pid)::int as count from pg_locks join pg_stat_activity using (pid)
           where not granted and datname = current_database()`,
        );
        if (row!.count >= count) return;
      }
      assert.fail('no statement waits');
    },
    release: async () => {
      await client.query('commit');
      await client.end();
    },
  };
}
