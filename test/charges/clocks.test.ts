// Nodes whose clocks differ without being noticed, here by twenty seconds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';

let ahead: Service;
let behind: Service;
before(async () => {
  ahead = await startService({ now: '2026-11-16T12:00:20.000Z' });
  behind = await startService({ beside: ahead, now: '2026-11-16T12:00:00.000Z' });
});
after(async () => {
  await behind.stop();
  await ahead.stop();
});

test('a payment reported without a time is never before its charge', async () => {
  const order = await orderDriver(ahead).order();
  const paid = await orderDriver(behind).pay(order);
  assert.equal(paid.status, 200, paid.text);
  assert.equal(paid.json.payments[0].paidAt, paid.json.createdAt);
});

test('a payment reported with a time before its charge is refused', async () => {
  const order = await orderDriver(ahead).order();
  const refused = await orderDriver(behind).pay(order, { at: '2026-11-16T11:59:59Z' });
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
});

test('a wallet without a waiting time may be paid to by every node at once', async () => {
  const walletId = await orderDriver(ahead).wallet('tron');
  const order = await orderDriver(behind).order({ walletId, network: 'tron' });
  assert.equal(order.status, 201, order.text);
});
