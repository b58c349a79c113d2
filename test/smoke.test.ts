import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from './harness/bodies.ts';
import { type Service, startService } from './harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ demo: true });
});
after(() => service.stop());

test('works', async () => {
  const made = await service.post('/charges', chargeBody());
  assert.equal(made.status, 201, made.text);
  assert.equal(await service.runJobs(), 2);
  const read = await service.get(`/charges/${made.json.id}`);
  assert.equal(read.json.pix.status, 'ACTIVE');
  const list = await service.get('/crypto/transactions');
  assert.equal(list.json.total, 60);
});
