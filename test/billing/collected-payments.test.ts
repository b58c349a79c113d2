// Payments that collections bring: refunds, and returns by the PSP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());

test('a collected payment is refunded, and returned by the PSP for Pix Automático', async () => {
  const id = await at.approved({ amountCents: undefined });
  const chargeId = await at.newCharge(at.day(3));
  assert.equal((await at.collect(id, chargeId)).status, 201);
  await at.work();
  await at.until(at.day(4));
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
