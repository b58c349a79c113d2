// Collections that are not needed any more: canceled at the PSP while it allows that.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { type MandatesAtPsp, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());
afterEach(() => at.psp.clearFaults());

const atPsp = (collectionId: string) =>
  at.psp.state().cobsr.find(({ txid }) => txid === collectionId.replaceAll('-', ''))?.status;

for (const [how, change] of [
  ['paid otherwise', (id: string) => at.payCharge(id)],
  [
    'paid in part',
    async (id: string) => at.psp.pay({ emv: (await at.readCharge(id)).pix.emv, valor: '1.00', force: true }),
  ],
  ['canceled', (id: string) => at.service.post(`/charges/${id}/cancel`, {})],
] as const) {
  test(`a collection is canceled at once when its charge is ${how}`, async () => {
    const { id, chargeId, collectionId } = await at.collected();
    await change(chargeId);
    await at.work();
    assert.deepEqual([(await at.collectionOf(id)).status, atPsp(collectionId)], ['CANCELED', 'CANCELADA']);
  });
}

test('a collection that was not sent yet is canceled at once when its charge is paid', async () => {
  const id = await at.approved();
  const chargeId = await at.newCharge(at.day(20));
  await at.collect(id, chargeId);
  await at.payCharge(chargeId);
  await at.work();
  assert.equal((await at.collectionOf(id)).status, 'CANCELED');
});

test('a collection of a day that is no banking day is canceled until the evening before the day of its attempt', async () => {
  const today = new Date(`${at.day(0)}T12:00:00Z`).getUTCDay();
  const saturday = at.day(6 - today + (today > 3 ? 7 : 0));
  const { id, chargeId } = await at.collected(saturday);
  const { day } = (await at.collectionOf(id)).attempts[0];
  assert.ok(day > saturday);
  await at.until(saturday, '20');
  await at.payCharge(chargeId);
  await at.work();
  assert.equal((await at.collectionOf(id)).status, 'CANCELED');
  await at.until(day);
  assert.equal((await at.readCharge(chargeId)).payments.length, 1);
});
