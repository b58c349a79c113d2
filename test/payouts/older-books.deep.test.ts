// A database that went back some seconds, unattended: an order that the chain has paid is not paid again, on either family of chains.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type OlderBooks, startWithOlderBooks } from '../harness/older-books.ts';
import { openDrill } from '../harness/payout-drill/drill.ts';
import type { Service } from '../harness/service.ts';

const stops: (() => Promise<void>)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function older(options: Parameters<typeof startWithOlderBooks>[0]): Promise<OlderBooks> {
  const books = await startWithOlderBooks(options);
  stops.push(() => books.stop());
  return books;
}

for (const [world, senders] of [
  ['evm', 1],
  ['evm', 2],
  ['tron', 1],
  ['tron', 2],
] as const) {
  test(`on ${world} a service with older books and senders: ${senders} sends nothing, reports why, and continues once the paid order is settled`, async () => {
    const { drill, service, driver, lost, next, hash, ...books } = await older({ world, seed: 31, senders });
    await books.pay(next);
    await books.pay(lost);
    await drill.world.pass(3, 3 * drill.world.blockMs);
    await driver.advance('PT61S');
    await service.runJobs();
    assert.deepEqual([await books.moved(lost), await books.moved(next)], [1, 0]);
    assert.deepEqual([(await books.holds(next)).slots, (await books.holds(lost)).slots], [0, 0]);
    assert.equal((await books.halted()).length, 1);
    assert.match((await books.holds(next)).message ?? '', /the books are older than the chain/);
    const [alarm] = (await service.get('/payouts/alarms')).json.alarms;
    assert.equal(alarm?.reason, 'slot_taken');
    assert.match(alarm.words, /trilho ledger check --chains/);

    // The transfer is final, and it is still not assigned to an order.
    await drill.world.pass(40, 900_000);
    await driver.advance('PT15M');
    const refused = await books.resume();
    assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state'], refused.text);
    assert.match(refused.json.detail, new RegExp(`${hash}.*${lost.json.transactionId}`));
    assert.equal((await books.halted()).length, 1);

    const settled = await service.post(`/crypto/transactions/${lost.json.transactionId}/settle`, { as: 'paid', hash });
    assert.equal(settled.status, 200, settled.text);
    const resumed = await books.resume();
    assert.deepEqual([resumed.status, resumed.json.senders], [200, []], resumed.text);
    await service.runJobs();
    await drill.world.pass(40, 300_000);
    await driver.advance('PT5M');
    await service.runJobs();
    assert.deepEqual([(await books.holds(lost)).status, (await books.holds(next)).status], ['fulfilled', 'fulfilled']);
    assert.deepEqual([await books.moved(lost), await books.moved(next)], [1, 1]);
  });
}

test("on evm books older than the sender's first payout halt it as well", async () => {
  const { drill, service, driver, lost, next, hash, ...books } = await older({
    world: 'evm',
    seed: 32,
    hasHistory: false,
  });
  await books.pay(next);
  await books.pay(lost);
  await drill.world.pass(3, 3 * drill.world.blockMs);
  await driver.advance('PT61S');
  await service.runJobs();
  assert.deepEqual([await books.moved(lost), await books.moved(next)], [1, 0]);
  const [halted] = await books.halted();
  assert.match(halted?.words ?? '', new RegExp(`${hash} .* may have paid order ${lost.json.transactionId}`));
});

test('an order that took an already used slot stops the line, and halts the sender before any block is final', async () => {
  let isBehind = true;
  const { drill, service, driver, lost, next, ...books } = await older({
    world: 'evm',
    seed: 35,
    blocks: 2,
    // The answers of two providers that lag behind the transfer.
    change: chain => ({
      ...chain,
      slotCounts: async sender => {
        const counts = await chain.slotCounts?.(sender);
        const said = counts?.said ?? [];
        return { quorum: 2, said: isBehind ? said.map(one => ({ ...one, mined: 1n, pooled: 1n })) : said };
      },
    }),
  });
  await books.pay(next);
  assert.equal((await books.holds(next)).slots, 1, 'it took the slot that the lost transfer has used');
  isBehind = false;
  await books.pay(lost);
  assert.deepEqual([(await books.holds(lost)).slots, await books.halted()], [0, []]);
  assert.match((await books.holds(lost)).message ?? '', /^The slot 1 of payout \S+ is used, but it is not yet known/);
  await drill.world.pass(0, 70_000);
  await driver.advance('PT70S');
  const [halted] = await books.halted();
  assert.match(halted?.words ?? '', /^The slot 1 of payout \S+ was used by a transaction that is not in the books/);
  await drill.world.pass(1, 120_000);
  await driver.advance('PT2M');
  await service.runJobs();
  assert.deepEqual([await books.moved(lost), await books.moved(next)], [1, 0]);
  assert.equal((await books.holds(lost)).slots, 0);
});

test('a running process halts the sender when the books lose what it has sent, and the order waits instead of being paid twice', async () => {
  const drill = await openDrill('evm', 33, 4);
  stops.push(() => drill.close());
  const { service, db, chain } = drill;
  const [first] = await drill.pay(2);
  await drill.runJobs();
  await drill.pass(1, 1_000);
  assert.equal(await drill.world.outgoing(), 2);
  assert.equal(await countHalted(service), 0);
  // A standby without the last rows takes over; all nodes lag, so that no node shows the transfer.
  await db.query('delete from payout_attempts');
  await db.query('delete from payouts');
  await db.query('update chain_senders set next_nonce = 0');
  await service.runJobs();
  const [halted] = (await service.get('/payouts/senders/halted')).json.senders;
  assert.deepEqual([halted?.network, halted?.sender], [chain.network, chain.senders[0]]);
  assert.match(halted.words, /was sent and is not in the books/);
  assert.ok(first);
});

test('a mined slot of ours that is not recorded yet does not stop the line', async () => {
  const drill = await openDrill('evm', 34, 4);
  stops.push(() => drill.close());
  await drill.pay(1);
  await drill.runJobs();
  // A block has the transfer, and no lookup was due since.
  await drill.world.pass(1, 0);
  await drill.pay(1);
  await drill.runJobs();
  assert.equal(await drill.countPayouts(), 2);
  assert.equal(await countHalted(drill.service), 0);
});

const countHalted = async (service: Service) => (await service.get('/payouts/senders/halted')).json.senders.length;
