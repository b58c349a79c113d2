// Collections that are not needed any more: canceled at the PSP while it allows that, also when its answers are lost, and refused after.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { HOUR_MS, type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());
afterEach(() => at.psp.clearFaults());

/** A collection that the PSP has, of a mandate of its own. */
async function sent(dueDay = at.day(5), more: Record<string, unknown> = {}) {
  const id = await at.approved();
  const chargeId = await at.newCharge(dueDay, more);
  assert.equal((await at.collect(id, chargeId)).status, 201);
  await at.work();
  await at.later(11 * MINUTE_MS);
  const collection = await at.collectionOf(id);
  assert.deepEqual([collection.status, collection.attempts[0].status], ['ACTIVE', 'SCHEDULED']);
  return { id, chargeId, collectionId: collection.id as string };
}

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
    const { id, chargeId, collectionId } = await sent();
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
  const { id, chargeId } = await sent(saturday);
  const { day } = (await at.collectionOf(id)).attempts[0];
  assert.ok(day > saturday);
  await at.until(saturday, '20');
  await at.payCharge(chargeId);
  await at.work();
  assert.equal((await at.collectionOf(id)).status, 'CANCELED');
  await at.until(day);
  assert.equal((await at.readCharge(chargeId)).payments.length, 1);
});

for (const kind of ['cut', 'status', 'lost-reply'] as const) {
  test(`a cancellation is repeated when the PSP does not answer it (${kind})`, async () => {
    const { id, collectionId } = await sent();
    at.psp.setFault({ kind, on: { method: 'PATCH', path: '/cobr' }, count: 2, status: 503 });
    assert.equal((await at.cancelCollection(collectionId)).status, 200);
    for (let minute = 0; minute < 3; minute++) await at.later(MINUTE_MS);
    assert.deepEqual([(await at.collectionOf(id)).status, atPsp(collectionId)], ['CANCELED', 'CANCELADA']);
  });
}

test('a cancellation after the evening before its attempt is refused, and changes nothing', async () => {
  const { id, collectionId } = await sent();
  const idRec = (await at.read(id)).recurrenceId;
  at.psp.automatic.setAccount({ idRec, balance: '0.00' });
  const { day } = (await at.collectionOf(id)).attempts[0];
  await at.until(day, '09');
  const refused = await at.cancelCollection(collectionId);
  assert.equal(refused.status, 409);
  assert.match(refused.json.detail, /could be canceled until/);
  at.psp.automatic.setAccount({ idRec, balance: null });
  await at.until(day, '22');
  assert.equal((await at.collectionOf(id)).status, 'COMPLETED');
});

test('a cancellation that the PSP refuses is shown with its reason, and repeated while there is time', async () => {
  const { id, collectionId } = await sent();
  at.psp.setFault({ kind: 'status', status: 400, on: { method: 'PATCH', path: '/cobr' } });
  assert.equal((await at.cancelCollection(collectionId)).status, 200);
  await at.later(MINUTE_MS);
  const { status, cancelRefusal } = await at.collectionOf(id);
  assert.equal(status, 'ACTIVE');
  assert.match(cancelRefusal, /./);
  at.psp.clearFaults();
  await at.later(24 * HOUR_MS);
  const after = await at.collectionOf(id);
  assert.deepEqual([after.status, after.cancelRefusal], ['CANCELED', undefined]);
});
