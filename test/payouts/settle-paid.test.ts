// Orders that are paid on the chain and not in the books: closed by the transaction, once, in any state.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Chain, Transfer } from '../../src/chains/chain.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { sandboxSender } from '../../src/sandbox/chains/simulated-chain.ts';
import { runCommand } from '../harness/commands.ts';
import { ADDRESSES, type OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

/** Whether the nodes claim that another transaction used the slot of every transfer. */
let denies = false;
const chains = new Map<string, Chain>();
let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
before(async () => {
  sandbox = await startPayoutService(chain => {
    chains.set(chain.network, chain);
    return { ...chain, lookup: async (...asked) => (denies ? { kind: 'taken' } : chain.lookup(...asked)) };
  });
  ({ service, orders } = sandbox);
});
after(() => sandbox.stop());

const environment = () => ({ DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' });
const settle = (order: Answer, hash?: string, as = 'paid') =>
  service.post(`/crypto/transactions/${order.json.transactionId}/settle`, { as, ...(hash && { hash }) });
const resumeSender = (network: string) =>
  service.sql('update chain_senders set halted_at = null where network = $1', [network]);

async function isClosed(order: Answer, hash: string): Promise<void> {
  await service.runJobs();
  const { status, holdReason, transfer } = await orders.read(order);
  assert.deepEqual([status, holdReason, transfer.hash], ['fulfilled', undefined, hash]);
  assert.deepEqual(await sandbox.differences(), []);
}

async function attemptsOf(order: Answer): Promise<string[]> {
  const rows = await service.sql<{ hash: string }>(
    `select a.hash from payout_attempts a join payouts p on p.id = a.payout_id where p.order_id = $1 order by number`,
    [order.json.transactionId],
  );
  return rows.map(({ hash }) => hash);
}

/** Its transfer was sent, but given up in the books. */
async function denied(network: string): Promise<Answer> {
  denies = true;
  const order = await sandbox.paid({ network });
  await orders.advance('PT10M');
  assert.equal((await sandbox.act(order, 'void')).status, 200);
  await orders.advance('PT1H');
  denies = false;
  await resumeSender(network);
  assert.equal((await orders.read(order)).holdReason, 'payout_voided');
  return order;
}

test('a transfer that was given up and still moved closes its order, by API and by command', async () => {
  const [byApi, byCommand] = [await denied('polygon'), await denied('polygon')];
  const sent = await sandbox.transfers('polygon');
  const [[hash = ''], [other = '']] = [await attemptsOf(byApi), await attemptsOf(byCommand)];
  const { status, json } = await settle(byApi, hash);
  assert.deepEqual([status, json.status], [200, 'fulfilling']);
  await isClosed(byApi, hash);
  assert.equal((await service.post(`/charges/${byApi.json.charge.id}/refunds`, {})).status, 409, 'the money stays');

  const id = byCommand.json.transactionId;
  const trilho = (...args: string[]) => runCommand(payoutsCommand, environment(), ['settle', id, ...args]);
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(trilho('--as', 'paid'), refused(/--hash is missing/));
  await assert.rejects(trilho('--as', 'returned', '--hash', other), refused(/--hash is for --as paid alone/));
  await assert.rejects(trilho('--as', 'paid', '--hash', '0x12'), refused(/--hash must be the hash of a transaction/));
  await assert.rejects(trilho('--as', 'paid', '--hash', hash), refused(/the transfer of another payout/));
  const { code, said } = await trilho('--as', 'paid', '--hash', other);
  assert.equal(code, 0);
  assert.match(said, /nothing more is sent/);
  await isClosed(byCommand, other);
  await orders.advance('P1D');
  assert.equal(await sandbox.transfers('polygon'), sent);
  assert.equal((await runCommand(ledgerCommand, environment(), ['check', '--chains'])).code, 0);
  const lines = await service.sql<{ action: string }>(
    `select action from audit_inbox where object_id = $1 and action like 'trilho%'
     union select action from audit_log where object_id = $1 and action like 'trilho%'`,
    [id],
  );
  assert.deepEqual(lines, [{ action: 'trilho payouts settle' }]);
});

/** A transfer with the key of the sandbox, unknown to the books, and its hash. */
async function transferElsewhere(transfer: Transfer, bids: number): Promise<string> {
  const chain = chains.get(transfer.slot.network);
  assert.ok(chain);
  const bid = { number: 1, kind: 'transfer', hash: '', raw: '', signedAt: new Date() } as const;
  const signed = await chain.sign(transfer, Array(bids).fill(bid));
  assert.ok(signed.kind === 'signed');
  const { hash, raw } = signed;
  await chain.broadcast({ ...bid, hash, raw });
  return hash;
}

test('a bid that is not in the books closes the order whose slot it used', async () => {
  await orders.fault('bsc', { fault: 'stalled' });
  const order = await sandbox.paid({ network: 'bsc' });
  const slot = { network: 'bsc', sender: sandboxSender('bsc'), nonce: 0n } as const;
  const hash = await transferElsewhere({ slot, symbol: 'usdt', units: 100n * 10n ** 18n, to: ADDRESSES.evm }, 1);
  await orders.fault('bsc', { fault: 'none' });
  await orders.advance('PT1H');
  assert.equal((await orders.read(order)).holdReason, 'slot_taken');
  assert.equal((await settle(order, hash)).status, 200);
  await isClosed(order, hash);
  assert.equal(await sandbox.transfers('bsc'), 1);
});

test('a transaction in the slot of another order closes its own once that one is given up', async () => {
  await service.post('/payouts/pause', { network: 'ethereum', symbol: 'usdc' });
  const order = await sandbox.paid({ network: 'ethereum', symbol: 'usdc' });
  const slot = { network: 'ethereum', sender: sandboxSender('ethereum'), nonce: 0n } as const;
  await service.sql(`insert into chain_senders (network, sender, next_nonce) values ('ethereum', $1, 0)`, [
    slot.sender,
  ]);
  const hash = await transferElsewhere({ slot, symbol: 'usdc', units: 100_185_185n, to: ADDRESSES.evm }, 2);
  const other = await sandbox.paid({ network: 'ethereum' });
  await orders.advance('PT1H');
  assert.equal((await orders.read(other)).holdReason, 'slot_taken');
  const taken = await settle(order, hash);
  assert.equal(taken.status, 409);
  assert.match(taken.json.detail, /^Slot 0, .* belongs to another payout; give that up first\.$/);
  assert.equal((await sandbox.act(other, 'void')).status, 200);
  await orders.advance('PT1H');
  assert.equal((await settle(order, hash)).status, 200);
  await isClosed(order, hash);
  await resumeSender('ethereum');
  assert.equal((await sandbox.act(other, 'retry')).status, 200);
  await service.runJobs();
  await orders.advance('PT1H');
  assert.equal((await orders.read(other)).status, 'fulfilled');
  assert.equal(await sandbox.transfers('ethereum'), 2);
  assert.deepEqual(await sandbox.differences(), []);
});

test('a transaction that is not final, failed or does not match is refused, and nothing is written', async () => {
  const other = await sandbox.paid({ network: 'arbitrum' });
  await orders.advance('PT1H');
  const done = await orders.read(other);
  assert.equal(done.status, 'fulfilled');
  const [hash = ''] = await attemptsOf(other);
  assert.equal((await settle(other, hash)).status, 200, 'a repeat of a settled one changes nothing');
  await service.post('/payouts/pause', { network: 'arbitrum' });
  const order = await sandbox.paid({ network: 'arbitrum', cost: 1082 });
  const before = await orders.read(order);
  const missing = await settle(order);
  assert.deepEqual([missing.status, missing.json.errors[0].path], [400, 'hash']);
  assert.equal((await settle(order, hash, 'delivered')).json.errors[0].path, 'hash');
  assert.equal((await settle(order, hash)).json.detail, 'This transaction is the transfer of another payout.');

  const slot = { network: 'arbitrum', sender: sandboxSender('arbitrum'), nonce: 1n } as const;
  const sent = await transferElsewhere({ slot, symbol: 'usdt', units: 200_000_000n, to: ADDRESSES.evm }, 0);
  assert.match((await settle(order, sent)).json.detail, /^This transaction has no transfer in any block of arbitrum/);
  await orders.advance('PT1S');
  const early = await settle(order, sent);
  assert.deepEqual([early.status, early.json.detail], [409, 'This transaction is not final yet; try again later.']);
  await orders.fault('arbitrum', { fault: 'rpc_timeout' });
  assert.equal((await settle(order, sent)).status, 503);
  await orders.fault('arbitrum', { fault: 'none' });
  assert.deepEqual({ ...(await orders.read(order)), updatedAt: '' }, { ...before, updatedAt: '' });
  await orders.advance('PT1H');
  assert.equal((await settle(order, sent)).status, 200);
  await isClosed(order, sent);
  const unpaid = await orders.order({ network: 'arbitrum' });
  assert.equal((await settle(unpaid, sent)).status, 409);

  const next = { ...slot, nonce: 2n };
  const old = await transferElsewhere({ slot: next, symbol: 'usdt', units: 100_000_000n, to: ADDRESSES.evm }, 0);
  await orders.advance('PT1H');
  const later = await sandbox.paid({ network: 'arbitrum' });
  assert.equal((await settle(later, old)).json.detail, 'The transaction is older than the order.');
});
