// A database that went back some seconds, with nobody there: what the chain has paid is not paid again, on either family of chains.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type OlderBooks, startWithOlderBooks } from '../harness/older-books.ts';

const stops: (() => Promise<void>)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

async function older(options: Parameters<typeof startWithOlderBooks>[0]): Promise<OlderBooks> {
  const books = await startWithOlderBooks(options);
  stops.push(() => books.stop());
  return books;
}

for (const world of ['evm', 'tron'] as const) {
  test(`on ${world} a service with older books sends nothing, says why, and goes on once the paid order is settled`, async () => {
    const { drill, service, driver, lost, next, hash, ...books } = await older({ world, seed: 31 });
    await books.pay(next);
    await books.pay(lost);
    await drill.world.pass(3, 3 * drill.world.blockMs);
    await driver.advance('PT61S');
    await service.runJobs();
    assert.deepEqual([await books.moved(lost), await books.moved(next)], [1, 0]);
    assert.deepEqual([(await books.holds(next)).slots, (await books.holds(lost)).slots], [0, 0]);
    assert.equal((await books.halted()).length, 1);
    assert.match((await books.holds(next)).words ?? '', /the books are older than the chain/);
    const [alarm] = (await service.get('/payouts/alarms')).json.alarms;
    assert.equal(alarm?.reason, 'slot_taken');
    assert.match(alarm.words, /trilho ledger check --chains/);

    // The transfer is final, and still nobody has said whose it is.
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
