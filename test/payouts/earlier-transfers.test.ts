// Before an order is sent again, its earlier transfers are looked up again, so that nodes that were wrong about them do not cause
// a second payment.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Sighting } from '../../src/chains/chain.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
/** A false answer of the nodes. */
let lie: ((seen: Sighting) => Sighting) | undefined;
/** How many lookups get it before the nodes are honest again. */
let lies = Number.POSITIVE_INFINITY;
before(async () => {
  sandbox = await startPayoutService(chain => ({
    ...chain,
    lookup: async (...asked) => {
      const seen = await chain.lookup(...asked);
      return lie && lies-- > 0 ? lie(seen) : seen;
    },
  }));
  ({ service, orders } = sandbox);
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  assert.deepEqual(wrong, []);
});
beforeEach(() => {
  [lie, lies] = [undefined, Number.POSITIVE_INFINITY];
});

/** Status 0 and no logs. */
const asReverted = (seen: Sighting): Sighting =>
  seen.kind === 'mined' ? { ...seen, outcome: 'reverted', leftUnits: 0n } : seen;

/** Its transfer is carried out, but failed in the books. */
async function heldAsReverted(network: string): Promise<Answer> {
  lie = asReverted;
  const order = await sandbox.paid({ network });
  await orders.advance('PT2H');
  assert.equal((await orders.read(order)).holdReason, 'transfer_reverted');
  return order;
}

async function assertPaidOnce(
  order: Answer,
  network: 'polygon' | 'ethereum' | 'arbitrum' | 'bsc' | 'tron',
): Promise<void> {
  await orders.advance('PT2H');
  const { status, holdReason } = await orders.read(order);
  assert.deepEqual([status, holdReason, await sandbox.transfers(network)], ['fulfilled', undefined, 1]);
  assert.equal((await sandbox.payouts(order)).length, 1);
}

for (const [verb, network] of [
  ['retry', 'polygon'],
  ['reprice', 'ethereum'],
] as const) {
  test(`a ${verb} of an order is refused when its failed transfer turns out to have moved, and the transfer is counted`, async () => {
    const order = await heldAsReverted(network);
    lie = undefined;
    const refused = await sandbox.act(order, verb);
    assert.equal(refused.status, 409, refused.text);
    assert.match(refused.json.detail, /The chain has already mined an earlier transfer of this order: 0x/);
    assert.equal((await service.post(`/charges/${order.json.charge.id}/refunds`, {})).status, 409);
    await service.runJobs();
    await assertPaidOnce(order, network);
  });
}

test('a transfer that nodes show only after the retry stops the second one in the line', async () => {
  const order = await heldAsReverted('arbitrum');
  lies = 1;
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  await service.runJobs();
  await assertPaidOnce(order, 'arbitrum');
});

test('while nodes do not show the outcome of an earlier transfer, no other one is made', async () => {
  await orders.fault('bsc', { fault: 'reverting' });
  const order = await sandbox.paid({ network: 'bsc' });
  await orders.advance('PT2H');
  await orders.fault('bsc', { fault: 'none' });
  assert.equal((await orders.read(order)).holdReason, 'transfer_reverted');
  lie = () => ({ kind: 'unknown', message: 'the providers disagree about the transfer', isAnswered: true });
  const refused = await sandbox.act(order, 'retry');
  assert.equal(refused.status, 503, refused.text);
  assert.match(
    refused.json.detail,
    /not known that an earlier transfer of this order moved nothing: the providers disagree/,
  );
  // As if they had agreed only at the retry.
  lie = undefined;
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  lie = () => ({ kind: 'unknown', message: 'the providers disagree about the transfer', isAnswered: true });
  await service.runJobs();
  const waits = await orders.read(order);
  assert.match(waits.lastError, /An earlier transfer may have moved crypto/);
  assert.equal((await sandbox.payouts(order)).length, 1);
  lie = undefined;
  await orders.advance('PT2H');
  assert.deepEqual([(await orders.read(order)).status, await sandbox.transfers('bsc')], ['fulfilled', 1]);
});

test('a transfer that failed in the books is settled as paid by its hash', async () => {
  const order = await heldAsReverted('tron');
  lie = undefined;
  const { transfer } = await orders.read(order);
  const settled = await service.post(`/crypto/transactions/${order.json.transactionId}/settle`, {
    as: 'paid',
    hash: transfer.hash,
  });
  assert.equal(settled.status, 200, settled.text);
  await service.runJobs();
  await assertPaidOnce(order, 'tron');
});
