// An order that was paid twice because nodes denied its first transfer: the comparison with the chains reports it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { runCommand } from '../harness/commands.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

/** Whether the nodes claim that another transaction used the slot of every sender's first transfer. */
let denies = false;
let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
before(async () => {
  sandbox = await startPayoutService(chain => ({
    ...chain,
    lookup: async (...asked) => (denies && asked[0].slot.nonce === 0n ? { kind: 'taken' } : chain.lookup(...asked)),
  }));
  ({ service, orders } = sandbox);
});
after(() => sandbox.stop());

const check = () =>
  runCommand(ledgerCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' }, ['check', '--chains']);

/** Its transfer was sent, but given up in the books. */
async function denied(network: string): Promise<Answer> {
  denies = true;
  const order = await sandbox.paid({ network });
  await orders.advance('PT10M');
  assert.equal((await orders.read(order)).holdReason, 'slot_taken');
  assert.equal((await sandbox.act(order, 'void')).status, 200);
  await orders.advance('PT1H');
  denies = false;
  assert.equal((await orders.read(order)).holdReason, 'payout_voided');
  return order;
}

test('a transfer that was given up and still moved is a difference, and not taken for a foreign one', async () => {
  const order = await denied('polygon');
  const id = order.json.transactionId;
  const { code, said } = await check();
  assert.equal(code, 1);
  assert.match(said, new RegExp(`DIFFERS: order ${id}, slot 0: the outcome is voided in the books and transferred`));
  assert.doesNotMatch(said, /not in the books|times/);
});

test('two transfers of one order are reported in one line', async () => {
  const order = await denied('arbitrum');
  const id = order.json.transactionId;
  await service.sql("update chain_senders set halted_at = null where network = 'arbitrum'");
  denies = true;
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  await service.runJobs();
  await orders.advance('PT1H');
  assert.deepEqual([(await orders.read(order)).status, await sandbox.transfers('arbitrum')], ['fulfilled', 2]);
  denies = false;
  const { code, said } = await check();
  assert.equal(code, 1);
  const hashes = await service.sql<{ hash: string }>(
    `select a.hash from payout_attempts a join payouts p on p.id = a.payout_id where p.order_id = $1 order by p.nonce`,
    [id],
  );
  const [first, second] = hashes.map(({ hash }) => `100 usdt in ${hash}`);
  assert.match(said, new RegExp(`^DIFFERS: order ${id} was paid 2 times: ${first}, ${second}$`, 'm'));
  assert.match(said, /The books do not agree with the chains\./);
});

test('when a sender is resumed, payouts that were given up as lost are looked up at once', async () => {
  denies = true;
  const order = await sandbox.paid({ network: 'bsc' });
  await orders.advance('PT5H');
  const { holdReason, transfer } = await orders.read(order);
  assert.equal(holdReason, 'slot_taken');
  denies = false;
  const environment = { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' };
  assert.equal((await runCommand(payoutsCommand, environment, ['resume', 'bsc', transfer.sender])).code, 0);
  await service.runJobs();
  assert.deepEqual([(await orders.read(order)).status, await sandbox.transfers('bsc')], ['fulfilled', 1]);
});
