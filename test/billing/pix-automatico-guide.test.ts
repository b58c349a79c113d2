// The requests of docs/pix-automatico.md, as they are written there, at a simulated PSP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guide, requestsIn } from '../harness/guide.ts';
import { HOUR_MS, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

test('the requests of the guide make a mandate and collect a charge by it', async () => {
  const at = await startMandatesAtPsp();
  try {
    const [create, collect, ...others] = requestsIn(guide('pix-automatico.md'));
    assert.deepEqual(others, []);
    const body = { ...JSON.parse(create!.body ?? ''), customerId: await at.newCustomer() };
    const made = await at.service.post(create!.path, body);
    assert.equal(made.status, 201, made.text);
    await at.work();
    await at.later(5 * MINUTE_MS);
    const { status, emv } = await at.read(made.json.id);
    assert.equal(status, 'CREATED');
    at.psp.automatic.approve({ emv });
    await at.work();
    assert.equal((await at.read(made.json.id)).status, 'APPROVED');
    const chargeId = await at.newCharge(body.firstDay);
    const path = collect!.path.replace(/[0-9a-f-]{36}/, made.json.id);
    const collected = await at.service.post(path, { ...JSON.parse(collect!.body ?? ''), chargeId });
    assert.equal(collected.status, 201, collected.text);
    const repeated = await at.service.post(path, { chargeId });
    assert.equal(repeated.json.id, collected.json.id, 'a repeat returns it');
    await at.until(body.firstDay);
    await at.later(HOUR_MS);
    assert.equal((await at.readCharge(chargeId)).state, 'PAID');
  } finally {
    await at.stop();
  }
});
