// Transfers that a chain does not carry out as requested: each is paid at most once, and an operator can resolve it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { NETWORKS } from '../../src/chains/asset.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { runCommand } from '../harness/commands.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
before(async () => {
  sandbox = await startPayoutService();
  ({ service, orders } = sandbox);
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  assert.deepEqual(wrong, []);
});
beforeEach(async () => {
  for (const network of NETWORKS) await orders.fault(network, { fault: 'none' });
});

const refund = (order: Answer) => service.post(`/charges/${order.json.charge.id}/refunds`, {});
const holdOf = async (order: Answer) => (await orders.read(order)).holdReason;
const cli = (...args: string[]) =>
  runCommand(payoutsCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' }, args);

async function fulfilledAfter(order: Answer, duration: string) {
  await orders.advance(duration);
  const done = await orders.read(order);
  assert.deepEqual([done.status, done.holdReason], ['fulfilled', undefined], JSON.stringify(done));
  return done;
}

test('a token that keeps a part is not paid again: no retry, no new price, no refund, and the books have the amount that left', async () => {
  await orders.fault('polygon', { fault: 'keeps_part' });
  const order = await sandbox.paid();
  await orders.fault('polygon', { fault: 'none' });
  const sent = await sandbox.transfers('polygon');
  await orders.advance('PT10M');
  const held = await orders.read(order);
  assert.deepEqual(
    [held.status, held.holdReason, held.transfer.state],
    ['fulfilling', 'transfer_mismatched', 'mismatched'],
  );
  assert.match(held.lastError, /another amount/);
  for (const answer of [
    await sandbox.act(order, 'retry'),
    await sandbox.act(order, 'reprice'),
    await sandbox.act(order, 'void'),
    await refund(order),
  ]) {
    assert.equal(answer.status, 409, answer.text);
  }
  await orders.advance('P1D');
  assert.equal(await sandbox.transfers('polygon'), sent);
  const entries = (await service.get(`/ledger/entries?transactionId=${order.json.transactionId}`)).json.entries;
  const lines = entries.find(({ kind }: { kind: string }) => kind === 'payout').lines;
  assert.deepEqual(lines.map(({ book, amount }: { book: string; amount: string }) => `${book} ${amount}`).sort(), [
    'crypto_owed 100',
    'crypto_paid -100',
  ]);
});

test("a network fee is in the books once, in the network's coin", async () => {
  const order = await sandbox.paid();
  await fulfilledAfter(order, 'PT30M');
  const entries = (await service.get(`/ledger/entries?transactionId=${order.json.transactionId}`)).json.entries;
  const fees = entries.filter(({ kind }: { kind: string }) => kind.startsWith('network_fee'));
  assert.deepEqual(
    fees.map(({ kind, lines }: { kind: string; lines: { book: string; currency: string }[] }) => [
      kind,
      lines.map(({ book, currency }) => `${book} ${currency}`).sort(),
    ]),
    [['network_fee', ['crypto_paid pol.polygon', 'network_fee pol.polygon']]],
  );
});

test('a transfer that no block includes is given up; once that is final it is sent again, and paid once', async () => {
  await orders.fault('polygon', { fault: 'stalled' });
  const order = await sandbox.paid();
  const before = await sandbox.transfers('polygon');
  const asked = await sandbox.act(order, 'void');
  assert.equal(asked.status, 200, asked.text);
  assert.ok(asked.json.transfer.voidRequestedAt);
  assert.equal((await cli('void', order.json.transactionId)).code, 0, 'a repeat changes nothing');
  assert.equal((await sandbox.act(order, 'retry')).status, 409, 'not before the void is final');
  assert.equal((await refund(order)).status, 409, 'not before the void is final');
  await service.runJobs();
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT10M');
  const held = await orders.read(order);
  assert.deepEqual([held.holdReason, held.transfer.state], ['payout_voided', 'voided']);
  assert.equal(await sandbox.transfers('polygon'), before - 1, 'the void replaced the transfer');
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  await fulfilledAfter(order, 'PT10M');
  assert.equal(await sandbox.transfers('polygon'), before);
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling held resumed fulfilled');
});

test('the money of a transfer that was given up can be refunded', async () => {
  await orders.fault('base', { fault: 'stalled' });
  const order = await sandbox.paid({ network: 'base', symbol: 'usdc' });
  await sandbox.act(order, 'void');
  await service.runJobs();
  await orders.fault('base', { fault: 'none' });
  await orders.advance('PT10M');
  assert.equal((await refund(order)).status, 201);
  await service.runJobs();
  assert.equal((await orders.read(order)).endedAs, 'refunded');
});

test('a transfer that a block includes before its void is done', async () => {
  const order = await sandbox.paid();
  assert.equal((await sandbox.act(order, 'void')).status, 200);
  // Mined before anything of the void is signed.
  await service.sql(
    `update sandbox_chain_transactions set block = block - 1 where network = 'polygon' and nonce =
    (select nonce from payouts where order_id = $1)`,
    [order.json.transactionId],
  );
  await service.runJobs();
  assert.deepEqual(
    (await sandbox.payouts(order)).map(({ attempts }) => attempts),
    [1],
    'nothing else is signed',
  );
  const done = await fulfilledAfter(order, 'PT10M');
  assert.equal(done.transfer.state, 'final');
  assert.equal((await sandbox.act(order, 'void')).status, 409);
});

test('a slot that another program used holds the order and halts the sender, until an operator resumes it', async () => {
  await orders.fault('bsc', { fault: 'foreign_use' });
  const order = await sandbox.paid({ network: 'bsc' });
  await orders.fault('bsc', { fault: 'none' });
  await orders.advance('PT10M');
  const held = await orders.read(order);
  assert.deepEqual([held.holdReason, held.transfer.state], ['slot_taken', 'open']);
  assert.match(held.lastError, /someone else who has the key/);
  const metrics = await service.get('/metrics');
  assert.match(metrics.text, /trilho_senders_halted\{network="bsc"\} 1/);

  const next = await sandbox.paid({ network: 'bsc' });
  await orders.advance('PT1H');
  const waiting = await orders.read(next);
  assert.equal(waiting.status, 'pending_fulfillment');
  const why = `The slot 0 of payout [-0-9a-f]+ was used by a transaction that is not in the books: the books are older than the chain, or the key is used elsewhere\\.`;
  assert.match(waiting.lastError, new RegExp(`^${why} .* trilho ledger check --chains, `));
  assert.deepEqual(await sandbox.payouts(next), []);

  const { code } = await cli('resume', 'bsc', held.transfer.sender);
  assert.equal(code, 0);
  await assert.rejects(cli('resume', 'bsc', held.transfer.sender), /not a halted sender/);
  await fulfilledAfter(next, 'P1D');
  const later = await service.get('/metrics');
  assert.match(later.text, /trilho_senders_halted\{network="bsc"\} 0/, 'the same payout does not halt it again');
  // The first one: its slot is lost, so giving it up frees the order once a second lookup has confirmed that.
  assert.equal((await sandbox.act(order, 'void')).status, 200);
  await service.runJobs();
  assert.equal(await holdOf(order), 'slot_taken', 'the second look is minutes after the first');
  await orders.advance('PT1H');
  assert.equal(await holdOf(order), 'payout_voided');
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  await fulfilledAfter(order, 'PT10M');
});

test('a node that does not show a done transfer is no reorganisation', async () => {
  const order = await sandbox.paid();
  await orders.advance('PT2M30S');
  assert.equal((await orders.read(order)).transfer.state, 'done');
  await orders.fault('polygon', { fault: 'lagging' });
  await orders.advance('PT3M');
  assert.equal(await holdOf(order), undefined);
  await orders.fault('polygon', { fault: 'none' });
  await fulfilledAfter(order, 'PT2H');
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling fulfilled');
});

test('a transfer that no bid gets into a block is held, still sent again, and continues by itself when a block includes it', async () => {
  await orders.fault('tron', { fault: 'stalled' });
  const order = await sandbox.paid({ network: 'tron' });
  await orders.advance('P1D');
  const [{ attempts } = { attempts: 0 }] = await sandbox.payouts(order);
  assert.deepEqual([attempts, await holdOf(order)], [5, 'payout_stuck']);
  // The chain has lost it: the newest is sent again.
  await service.sql(`delete from sandbox_chain_transactions where network = 'tron'`);
  await orders.fault('tron', { fault: 'none' });
  await fulfilledAfter(order, 'PT4H');
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling held fulfilled');
});

test('the command sends a held order again, and refuses in one sentence', async () => {
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await orders.fault('arbitrum', { fault: 'refusing' });
  const order = await sandbox.paid({ network: 'arbitrum' });
  const { transactionId: id } = order.json;
  await assert.rejects(cli('retry', 'x'), refused(/<transaction id> must be a UUID, not "x"/));
  await assert.rejects(cli('retry', '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87'), refused(/There is no such/));
  await assert.rejects(cli('retry', id), refused(/would revert/));
  await orders.fault('arbitrum', { fault: 'none' });
  assert.match((await cli('retry', id)).said, /^The order is in line again\./);
  await assert.rejects(cli('retry', id), refused(/^This order has no failed transfer\.$/));
  await fulfilledAfter(order, 'PT10M');
  const lines = await service.sql<{ actor: string }>(
    `select actor from audit_log where object_id = $1 and action = 'trilho payouts retry'`,
    [id],
  );
  assert.deepEqual(lines, [{ actor: 'operator' }]);
});
