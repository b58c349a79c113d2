// A database that neither answers nor hangs up: a frozen server, a network that swallows packets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { startMutableWay } from '../harness/mutable-way.ts';
import { ASK_AGAIN_MS, ownFolder, startTrilho, until } from '../harness/process.ts';

test('a silent database is answered with 503, and does not keep the service from leaving', async t => {
  const folder = await ownFolder(t);
  const { url, fallSilent } = await startMutableWay(t);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  await Promise.all(Array.from({ length: 25 }, () => service.get('/crypto/transactions')));
  fallSilent();
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

test('callers of a silent database are all answered, those in line for a connection too; it is used again when it answers', async t => {
  const folder = await ownFolder(t);
  const { url, fallSilent, speakAgain } = await startMutableWay(t);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  fallSilent();
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.post('/charges', chargeBody())));
  for (const { status, json, headers } of answers) {
    assert.equal(status, 503);
    assert.match(json.code, /^(database_unavailable|overloaded)$/);
    assert.ok(headers.get('retry-after'));
  }
  assert.equal((await service.get('/readyz')).json.detail, 'The database does not answer.');
  speakAgain();
  await until('the service to answer again', async () => (await service.get('/readyz')).status === 200, ASK_AGAIN_MS);
  await service.charge();
});
