// An old database restored after crypto was sent: the comparison names the transactions, each order is closed by its own, nothing is
// paid again, and the books agree with the chain afterwards.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { backupCommand } from '../../src/cli/backup.ts';
import { restoreCommand } from '../../src/cli/restore.ts';
import { ORDER_RECORDS } from '../../src/orders/payout-owner.ts';
import { compareSender } from '../../src/payouts/compare/chain.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { runCommand } from '../harness/commands.ts';
import { createDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import { differences } from '../harness/order-proof.ts';
import { orderDriver } from '../harness/orders.ts';
import { type Drill, openDrill, type PaidOrder } from '../harness/payout-drill/drill.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';

let folder: string;
const stops: (() => Promise<void>)[] = [];
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-restore-'));
});
after(async () => {
  for (const stop of stops.reverse()) await stop();
  await rm(folder, { recursive: true, force: true });
});

/** Orders that wait in line at the time of a backup and are paid out after it. */
type Saved = { readonly backup: string; readonly savedAt: Date };

async function paidAfterBackup(world: 'evm' | 'tron'): Promise<{ drill: Drill; orders: PaidOrder[] } & Saved> {
  const drill = await openDrill(world, 20, 4);
  stops.push(() => drill.close());
  await drill.pause(true);
  const orders = await drill.pay(3);
  await drill.runJobs();
  await drill.pass(40);
  // Records the sender's balances.
  assert.deepEqual((await compared(drill.service, drill)).differences, []);
  const backup = path.join(folder, world);
  await runCommand(backupCommand, { DATABASE_URL: drill.service.databaseUrl }, [backup]);
  const savedAt = drill.world.now();
  await drill.pause(false);
  await drill.runJobs();
  await drill.rest();
  return { drill, orders, backup, savedAt };
}

async function restored(drill: Drill, { backup, savedAt }: Saved): Promise<Service> {
  const { service, chain, world } = drill;
  const database = await createDatabase('template0');
  stops.push(() => database.drop());
  await runCommand(restoreCommand, { DATABASE_URL: database.url }, [backup]);
  const again = await startService({
    beside: { ...service, databaseUrl: database.url },
    chains: { [world.network]: chain },
  });
  stops.push(() => again.stop());
  // As a restore does in live.
  await again.sql(
    'insert into restores (id, as_of, restored_at, pause_id) values (gen_random_uuid(), $1, $2, gen_random_uuid())',
    [savedAt, drill.world.now()],
  );
  return again;
}

async function compared(service: Service, { chain }: Drill) {
  const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  try {
    const found = await compareSender(
      { db, payoutOwner: ORDER_RECORDS },
      chain,
      chain.senders[0],
      new Date('2026-11-16T11:00:00.000Z'),
    );
    return { ...found, books: await differences(db) };
  } finally {
    await db.close();
  }
}

for (const world of (['tron', 'evm'] as const).slice(0, scaled(2))) {
  test(`on ${world} orders that were paid after the backup are closed by their transactions, and not paid again`, async () => {
    const { drill, orders, ...saved } = await paidAfterBackup(world);
    const { service: before } = drill;
    const hashes: string[] = [];
    for (const { id } of orders) hashes.push((await before.get(`/crypto/transactions/${id}`)).json.transfer.hash);
    const service = await restored(drill, saved);
    const fresh = await compared(service, drill);
    const isWaitedFor = fresh.unanswered.some(message =>
      /^what was signed before the restore may still get into/.test(message),
    );
    assert.equal(isWaitedFor, world === 'tron', fresh.unanswered.join());
    await drill.pass(40, 600_000);
    const { strangers, differences: found } = await compared(service, drill);
    const named = found.filter(message => / usdt left to \w+ in \w+, which is not in the books$/.test(message));
    assert.equal(named.length, world === 'tron' ? 3 : 0, found.join());
    assert.ok(
      found.some(message => / usdt left between the blocks \d+ and \d+, and the books/.test(message)),
      found.join(),
    );
    assert.deepEqual(new Set(strangers.map(({ hash }) => hash)), new Set(hashes));

    const settle = (index: number, hash: string) =>
      service.post(`/crypto/transactions/${orders[index]?.id}/settle`, { as: 'paid', hash });
    const [first = '', second = '', third = ''] = hashes;
    for (const [hash, status, message] of [
      [second, 409, /^The transaction moves \S+ usdt to \S+, and the order is for \S+ usdt to \S+\.$/],
      [first.replace(/.{4}$/, 'beef'), 409, /^This transaction has no transfer in any block of \w+\.$/],
      [`${first.slice(0, -1)}g`, 400, /^hash must be the hash of a transaction of/],
    ] as const) {
      const refused = await settle(0, hash);
      assert.equal(refused.status, status, refused.text);
      assert.match(refused.json.detail, message);
    }
    assert.equal((await service.get(`/payouts`)).json.total, 0, 'nothing is written');

    for (const [index, hash] of hashes.entries()) {
      const closed = await settle(index, hash.replace('0x', '\u0000').toUpperCase().replace('\u0000', '0x'));
      assert.deepEqual([closed.status, closed.json.status], [200, 'fulfilling'], closed.text);
    }
    assert.equal((await settle(0, second)).json.detail, 'This transaction is the transfer of another payout.');
    await service.runJobs();
    assert.equal((await settle(2, third)).status, 200, 'a repeat changes nothing');
    for (const [index, { id }] of orders.entries()) {
      const { status, holdReason, transfer } = (await service.get(`/crypto/transactions/${id}`)).json;
      assert.deepEqual(
        [status, holdReason, transfer.hash, transfer.state],
        ['fulfilled', undefined, hashes[index], 'final'],
      );
    }
    const after = await compared(service, drill);
    assert.deepEqual([after.settled, after.differences, after.unanswered, after.books], [3, [], [], []]);

    assert.equal((await service.post('/payouts/resume', { network: drill.world.network })).status, 200);
    const driver = orderDriver(service);
    const walletId = (await service.get('/wallets')).json.wallets[0].id;
    const next = await driver.order({ network: drill.world.network, walletId });
    await driver.pay(next);
    await service.runJobs();
    await drill.world.pass(40, 300_000);
    await driver.advance('PT1H');
    assert.equal((await driver.read(next)).status, 'fulfilled');
    assert.equal(await drill.world.outgoing(), 4);
    assert.deepEqual((await compared(service, drill)).differences, []);
  });
}

test('on tron a first check after a restore without recorded balances still names what left', async () => {
  const drill = await openDrill('tron', 21, 4);
  stops.push(() => drill.close());
  await drill.pause(true);
  await drill.pay(2);
  const backup = path.join(folder, 'without-notes');
  await runCommand(backupCommand, { DATABASE_URL: drill.service.databaseUrl }, [backup]);
  const savedAt = drill.world.now();
  await drill.pause(false);
  await drill.runJobs();
  await drill.rest();
  const service = await restored(drill, { backup, savedAt });
  await drill.pass(40, 600_000);
  const { differences: found, unanswered } = await compared(service, drill);
  assert.deepEqual([found.length, unanswered], [2, []], found.join());

  const silent = await compared(service, { ...drill, chain: { ...drill.chain, history: async () => undefined } });
  assert.match(silent.unanswered.join(), /^no node shows all blocks since the backup of 2026-/);
});

test('on tron transfers before the first recorded balance are not compared', async () => {
  const drill = await openDrill('tron', 22, 4);
  stops.push(() => drill.close());
  await drill.pay(1);
  await drill.runJobs();
  await drill.rest();
  const { unanswered } = await compared(drill.service, drill);
  assert.match(
    unanswered.join('\n'),
    /^no earlier check recorded its balance of trx: .*\n.* of usdt: what left before block \d+ is not compared$/,
  );
  await drill.pass(40);
  assert.deepEqual((await compared(drill.service, drill)).unanswered, []);
});
