// A database that neither answers nor closes the connection: a frozen server, a network that drops packets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { startFreezingWire } from '../harness/freezing-wire.ts';
import { ASK_AGAIN_MS, ownFolder, startTrilho, until } from '../harness/process.ts';

test('while the database is silent requests get 503, and the service can still stop', async t => {
  const folder = await ownFolder(t);
  const { url, freeze } = await startFreezingWire(t);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  await Promise.all(Array.from({ length: 25 }, () => service.get('/crypto/transactions')));
  freeze();
  const [ready, list, charge, metrics] = await Promise.all([
    service.get('/readyz'),
    service.get('/crypto/transactions'),
    service.post('/charges', chargeBody()),
    service.get('/metrics'),
  ]);
  for (const answer of [ready, list, charge]) {
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.json.code, 'database_unavailable');
    assert.ok(answer.headers.get('retry-after'));
  }
  assert.equal((await service.get('/livez')).status, 200);
  assert.equal(metrics.status, 200);
  assert.match(metrics.text, /^trilho_database_up 0$/m);
  await service.end();
});

test('while the database is silent every request is answered, also one that waits for a connection; the service recovers with it', async t => {
  const folder = await ownFolder(t);
  const { url, freeze, thaw } = await startFreezingWire(t);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  freeze();
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.post('/charges', chargeBody())));
  for (const { status, json, headers } of answers) {
    assert.equal(status, 503);
    assert.match(json.code, /^(database_unavailable|overloaded)$/);
    assert.ok(headers.get('retry-after'));
  }
  assert.equal((await service.get('/readyz')).json.detail, 'The database does not answer.');
  thaw();
  await until('the service to answer again', async () => (await service.get('/readyz')).status === 200, ASK_AGAIN_MS);
  await service.charge();
});
