// Cancellations of collections that a PSP does not answer, refuses, or no longer allows.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { HOUR_MS, type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());
afterEach(() => at.psp.clearFaults());

const atPsp = (collectionId: string) =>
  at.psp.state().cobsr.find(({ txid }) => txid === collectionId.replaceAll('-', ''))?.status;

for (const kind of ['cut', 'status', 'lost-reply'] as const) {
  test(`a cancellation is repeated when the PSP does not answer it (${kind})`, async () => {
    const { id, collectionId } = await at.collected();
    at.psp.setFault({ kind, on: { method: 'PATCH', path: '/cobr' }, count: 2, status: 503 });
    assert.equal((await at.cancelCollection(collectionId)).status, 200);
    for (let minute = 0; minute < 3; minute++) await at.later(MINUTE_MS);
    assert.deepEqual([(await at.collectionOf(id)).status, atPsp(collectionId)], ['CANCELED', 'CANCELADA']);
  });
}

test('a cancellation after the evening before its attempt is refused, and changes nothing', async () => {
  const { id, collectionId } = await at.collected();
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
  const { id, collectionId } = await at.collected();
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
