// Orders of crypto, from the quote to the end, through the front door.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OrderDriver, orderDriver } from './harness/orders.ts';
import { type Service, startService } from './harness/service.ts';

let service: Service;
let orders: OrderDriver;
before(async () => {
  service = await startService();
  orders = orderDriver(service);
});
after(() => service.stop());

test('an order goes from its quote to fulfilled', async () => {
  const quote = await orders.quote();
  assert.equal(quote.status, 201, quote.text);
  const order = await orders.order({ quoteId: quote.json.id });
  assert.equal(order.status, 201, order.text);
  assert.equal(order.json.status, 'pending_payment');
  assert.equal(order.json.quantity, 100);
  assert.deepEqual(order.json.exact, { quantity: '100', cost: '541', price: '5.41', fee: '0' });
  assert.equal(order.json.charge.state, 'CREATING');
  assert.equal(order.headers.get('location'), `/crypto/transactions/${order.json.transactionId}`);
  await service.runJobs();
  const paid = await orders.pay(order);
  assert.equal(paid.status, 200, paid.text);
  await service.runJobs();
  const sent = await orders.read(order);
  assert.equal(sent.status, 'fulfilling');
  assert.match(sent.transfer.hash, /^0x[0-9a-f]{64}$/);
  await orders.advance('PT10M');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled');
  assert.equal(done.transfer.state, 'final');
  assert.ok(done.transfer.confirmations >= done.transfer.confirmationsNeeded);
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling fulfilled');
  assert.deepEqual(
    done.timeline.map((entry: { event: string }) => entry.event.replace('crypto_transaction.', '')),
    ['pending_payment', 'pending_fulfillment', 'fulfilling', 'fulfilled'],
  );
});
