// Attempts of a collection: tried again without money, and what a later one pays.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());

/** The PSP moves a day that is no banking day. */
const dayOfAttempt = async (id: string) => (await at.collectionOf(id)).attempts.at(-1).day;

test('without money it is tried again, and at last the payer can still pay the charge', async () => {
  const id = await at.approved({ retries: true });
  const { recurrenceId } = await at.read(id);
  const chargeId = await at.newCharge(at.day(4));
  assert.equal((await at.collect(id, chargeId)).status, 201);
  await at.work();
  await at.later(11 * MINUTE_MS);
  at.psp.automatic.setAccount({ idRec: recurrenceId, balance: '0.00' });
  await at.until(await dayOfAttempt(id), '22');
  const open = (await at.read(id)).collections[0];
  assert.deepEqual(
    open.attempts.map(({ kind }: { kind: string }) => kind),
    ['FIRST', 'RETRY'],
  );
  at.psp.automatic.setAccount({ idRec: recurrenceId, balance: null });
  await at.until(await dayOfAttempt(id));
  assert.deepEqual([(await at.read(id)).collections[0].status, await at.stateOf(chargeId)], ['COMPLETED', 'PAID']);

  const strict = await at.approved();
  const unpaid = await at.newCharge(at.day(4));
  assert.equal((await at.collect(strict, unpaid)).status, 201);
  at.psp.automatic.setAccount({ idRec: (await at.read(strict)).recurrenceId, balance: '0.00' });
  await at.work();
  await at.later(11 * MINUTE_MS);
  await at.until(await dayOfAttempt(strict), '22');
  const [collection] = (await at.read(strict)).collections;
  assert.equal(collection.status, 'EXPIRED');
  assert.ok((await at.typesOf(collection.id)).includes('mandate.collection_failed'));
  await at.psp.pay({ emv: (await at.service.get(`/charges/${unpaid}`)).json.pix.emv });
  await at.work();
  assert.equal(await at.stateOf(unpaid), 'PAID');
});

test('a later attempt pays a charge with fine and interest in full: its bank was asked for the amount', async () => {
  const id = await at.approved({ retries: true });
  const idRec = (await at.read(id)).recurrenceId;
  const chargeId = await at.newCharge(at.day(4), { taxes: { fine: 2, interest: 1 } });
  assert.equal((await at.collect(id, chargeId)).status, 201);
  await at.work();
  await at.later(11 * MINUTE_MS);
  at.psp.automatic.setAccount({ idRec, balance: '0.00' });
  await at.until(await dayOfAttempt(id), '22');
  at.psp.automatic.setAccount({ idRec, balance: null });
  await at.until(await dayOfAttempt(id));
  const { state, paidAmount, timing, payments } = await at.readCharge(chargeId);
  assert.deepEqual([state, paidAmount, timing, payments.length], ['PAID', 'exact', 'late', 1]);
  assert.equal((await at.collectionOf(id)).status, 'COMPLETED');
});
