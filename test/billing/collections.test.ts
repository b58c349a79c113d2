// Charges that are collected by a mandate, through HTTP, a receiver and a simulated PSP: paid, canceled, refused.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());

test('a charge of an approved mandate is collected on its day, once', async () => {
  const id = await at.approved();
  const chargeId = await at.newCharge(at.day(14));
  const asked = await at.collect(id, chargeId);
  assert.equal(asked.status, 201, asked.text);
  assert.deepEqual([asked.json.status, asked.json.amountCents, asked.json.dueDay], ['WAITING', 3_500, at.day(14)]);
  assert.equal((await at.collect(id, chargeId)).json.id, asked.json.id, 'a repeat is the same');
  await at.work();
  assert.equal((await at.read(id)).collections[0].status, 'WAITING', 'the PSP takes it ten days before');
  const due = at.day(14);
  await at.until(at.day(5));
  const sent = (await at.read(id)).collections[0];
  assert.deepEqual([sent.status, sent.attempts[0].status], ['ACTIVE', 'SCHEDULED']);
  await at.until(due, '09');
  const [collection] = (await at.read(id)).collections;
  assert.deepEqual([collection.status, collection.attempts[0].status], ['COMPLETED', 'PAID']);
  assert.equal(await at.stateOf(chargeId), 'PAID');
  assert.deepEqual(await at.typesOf(collection.id), ['mandate.collection_completed', 'mandate.collection_created']);
  const again = await at.collect(id, chargeId);
  assert.equal(again.json.status, 'COMPLETED', 'a charge is collected once');
});

test('a charge that is paid otherwise is not collected, and a mandate that ends leaves its charges payable', async () => {
  const id = await at.approved();
  const [first, second] = [await at.newCharge(at.day(5)), await at.newCharge(at.day(36))];
  await at.collect(id, first);
  await at.work();
  await at.psp.pay({ emv: (await at.service.get(`/charges/${first}`)).json.pix.emv });
  await at.collect(id, second);
  const due = at.day(5);
  await at.until(due, '12');
  const [canceled] = (await at.read(id)).collections;
  assert.equal(canceled.status, 'CANCELED');
  assert.equal((await at.service.get(`/charges/${first}`)).json.payments.length, 1);
  at.psp.automatic.cancel({ idRec: (await at.read(id)).recurrenceId });
  await at.work();
  await at.later(MINUTE_MS);
  const ended = await at.read(id);
  assert.deepEqual([ended.status, ended.ending.by, ended.ending.code], ['CANCELED', 'PAYER', 'SLDB']);
  assert.equal(ended.collections[1].status, 'FAILED');
  assert.equal(await at.stateOf(second), 'ACTIVE');
  assert.equal((await at.collect(id, await at.newCharge(at.day(5)))).status, 409);
});

test('a collection is canceled alone, and its charge can be collected again', async () => {
  const id = await at.approved();
  const chargeId = await at.newCharge(at.day(5));
  const collection = (await at.collect(id, chargeId)).json.id;
  await at.work();
  assert.equal((await at.cancelCollection(collection)).status, 200);
  await at.later(MINUTE_MS);
  assert.deepEqual([(await at.read(id)).collections[0].status, await at.stateOf(chargeId)], ['CANCELED', 'ACTIVE']);
  assert.equal((await at.collect(id, chargeId)).status, 201, 'it can be collected again');
});

test('a charge that the mandate cannot pay is refused, and nothing is written', async () => {
  const id = await at.approved();
  for (const [dueDay, more] of [
    [at.day(1), {}],
    [at.day(5), { amountCents: 3_501 }],
    [at.day(5), { customer: { name: 'Maria da Silva', document: '11144477735' } }],
    [at.day(5), { customer: undefined, customerId: await at.newCustomer() }],
  ] as const) {
    const refused = await at.collect(id, await at.newCharge(dueDay, more));
    assert.deepEqual([refused.status, refused.json.errors[0].path], [400, 'chargeId'], refused.text);
  }
  assert.equal((await at.collect(id, crypto.randomUUID())).status, 400);
  assert.deepEqual((await at.read(id)).collections, []);
});
