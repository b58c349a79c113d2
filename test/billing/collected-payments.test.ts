// Payments that collections bring: what they have to come to, refunds and returns.
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

test('a collected payment is refunded, and returned by the PSP for Pix Automático', async () => {
  const id = await at.approved({ amountCents: undefined });
  const chargeId = await at.newCharge(at.day(4));
  assert.equal((await at.collect(id, chargeId)).status, 201);
  await at.work();
  await at.until(at.day(6));
  assert.equal(await at.stateOf(chargeId), 'PAID');
  const key = { 'idempotency-key': 'once' };
  const refund = await at.service.post(`/charges/${chargeId}/refunds`, { amountCents: 1_000 }, key);
  assert.equal(refund.status, 201, refund.text);
  await at.work();
  await at.later(MINUTE_MS);
  const { payments, refunds } = await at.readCharge(chargeId);
  assert.equal(refunds[0].status, 'DONE');
  at.psp.medReturn({ endToEndId: payments[0].reference, valor: '25.00', natureza: 'MED_PIX_AUTOMATICO' });
  await at.later(2 * MINUTE_MS);
  const after = await at.readCharge(chargeId);
  assert.deepEqual([after.state, after.refunds[1].kind, after.refunds[1].status], ['REFUNDED', 'return', 'DONE']);
  assert.match(after.refunds[1].reason, /MED_PIX_AUTOMATICO/);
});
