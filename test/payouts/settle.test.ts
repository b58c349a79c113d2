// Transfers that arrived differently than requested: an operator settles them, once, and the books follow.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { runCommand } from '../harness/commands.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

/** How many smallest units more, or fewer, leave than requested. */
let difference = 0n;
let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
before(async () => {
  sandbox = await startPayoutService(chain => ({
    ...chain,
    lookup: async (...asked) => {
      const sighting = await chain.lookup(...asked);
      if (sighting.kind !== 'mined' || sighting.outcome !== 'mismatched') return sighting;
      return { ...sighting, leftUnits: sighting.leftUnits + difference };
    },
  }));
  ({ service, orders } = sandbox);
});
after(() => sandbox.stop());

async function mismatched(by = 0n): Promise<Answer> {
  difference = by;
  await orders.fault('polygon', { fault: 'keeps_part' });
  const order = await sandbox.paid();
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT10M');
  assert.equal((await orders.read(order)).holdReason, 'transfer_mismatched');
  return order;
}
const settle = (order: Answer, as: string) =>
  service.post(`/crypto/transactions/${order.json.transactionId}/settle`, { as });
const refund = (order: Answer) => service.post(`/charges/${order.json.charge.id}/refunds`, {});
async function owed(order: Answer): Promise<number> {
  const { entries } = (await service.get(`/ledger/entries?transactionId=${order.json.transactionId}`)).json;
  type Line = { book: string; amount: string };
  const lines: Line[] = entries.flatMap(({ lines }: { lines: Line[] }) => lines);
  return lines.filter(({ book }) => book === 'crypto_owed').reduce((sum, { amount }) => sum + Number(amount), 0);
}

for (const [reason, by] of [
  ['all', 0n],
  ['less', -3_000_000n],
  ['more', 2_000_000n],
] as const) {
  test(`settled as delivered the order is fulfilled and owes nothing, when ${reason} had left`, async () => {
    const order = await mismatched(by);
    const sent = await sandbox.transfers('polygon');
    const { status, json } = await settle(order, 'delivered');
    assert.deepEqual(
      [status, json.status, json.holdReason, json.settledAs, json.lastError],
      [200, 'fulfilled', undefined, 'delivered', undefined],
    );
    assert.equal(await owed(order), 0);
    assert.equal((await settle(order, 'delivered')).status, 200, 'a repeat changes nothing');
    assert.equal((await settle(order, 'returned')).status, 409);
    assert.equal((await refund(order)).status, 409, 'the money stays');
    await orders.advance('P1D');
    assert.equal(await sandbox.transfers('polygon'), sent);
    assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling held fulfilled');
    assert.deepEqual(await sandbox.differences(), []);
  });

  test(`settled as returned the payment is refunded and nothing is sent again, when ${reason} had left`, async () => {
    const order = await mismatched(by);
    const sent = await sandbox.transfers('polygon');
    assert.equal((await refund(order)).status, 409, 'not before it is settled');
    const { status, json } = await settle(order, 'returned');
    assert.deepEqual([status, json.holdReason, json.settledAs], [200, 'transfer_mismatched', 'returned']);
    assert.deepEqual(await sandbox.differences(), []);
    for (const verb of ['retry', 'reprice', 'void', 'approve']) {
      assert.equal((await sandbox.act(order, verb)).status, 409, verb);
    }
    await orders.advance('P1D');
    assert.equal((await refund(order)).status, 201);
    await service.runJobs();
    const ended = await orders.read(order);
    assert.deepEqual([ended.endedAs, ended.holdReason], ['refunded', undefined]);
    assert.equal(await owed(order), 0);
    await orders.advance('P1D');
    assert.equal(await sandbox.transfers('polygon'), sent);
    assert.deepEqual(await sandbox.differences(), []);
  });
}

test('of simultaneous decisions one is accepted', async () => {
  const order = await mismatched();
  const answers = await Promise.all(['delivered', 'returned', 'delivered', 'returned'].map(as => settle(order, as)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 409, 409]);
  assert.deepEqual(await sandbox.differences(), []);
});

test('other orders, other decisions and unknown ids are refused', async () => {
  const order = await sandbox.paid();
  assert.equal((await settle(order, 'delivered')).status, 409);
  const wrong = await settle(order, 'lost');
  assert.deepEqual([wrong.status, wrong.json.errors[0].path], [400, 'as']);
  const unknown = await service.post('/crypto/transactions/019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87/settle', {
    as: 'delivered',
  });
  assert.equal(unknown.status, 404);
});

test('the command settles, and refuses in one sentence', async () => {
  const order = await mismatched();
  const id = order.json.transactionId;
  const environment = { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' };
  const trilho = (...args: string[]) => runCommand(payoutsCommand, environment, ['settle', ...args]);
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(trilho(id), refused(/--as is missing/));
  await assert.rejects(trilho(id, '--as', 'lost'), refused(/--as must be one of delivered, returned/));
  assert.deepEqual(await trilho(id, '--as', 'delivered'), { code: 0, said: 'The order is fulfilled.' });
  await assert.rejects(trilho(id, '--as', 'returned'), refused(/no transfer that an operator can settle/));
  const [line] = await service.sql<{ action: string }>(
    `select action from audit_inbox where object_id = $1 and action like 'trilho%'
     union select action from audit_log where object_id = $1 and action like 'trilho%'`,
    [id],
  );
  assert.equal(line?.action, 'trilho payouts settle');
});
