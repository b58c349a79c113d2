// What the chain shows of a sender before a slot is taken: when the line waits, when the sender is halted, and which answers count.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { OwnTransfer, SlotCount } from '../../src/chains/chain.ts';
import { judgeCounts, overruledOf } from '../../src/payouts/line/foreign-slots.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer } from '../harness/service.ts';

const said = (provider: string, mined: number, { pooled = mined, head = 100 } = {}): SlotCount => ({
  provider,
  head: BigInt(head),
  mined: BigInt(mined),
  pooled: BigInt(pooled),
});

test('a quorum halts, one provider alone waits, and a quorum at its height overrules it', () => {
  const judge = (quorum: number, ...counts: SlotCount[]) => judgeCounts({ quorum, said: counts }, 5n).kind;
  assert.equal(judge(2, said('a', 6), said('b', 6)), 'halt');
  assert.equal(judge(2, said('a', 6), said('b', 5)), 'wait', 'one may lag, or lie');
  assert.equal(judge(2, said('a', 6)), 'wait', 'the other does not answer');
  assert.equal(judge(1, said('a', 6)), 'halt', 'it is the only one');
  assert.equal(judge(2, said('a', 9), said('b', 5), said('c', 5)), 'go');
  assert.equal(judge(2, said('a', 9), said('b', 5, { head: 99 }), said('c', 5)), 'wait', 'one of them is behind');
  assert.equal(judge(2, said('a', 9), said('b', 6), said('c', 6)), 'halt');
  assert.equal(judge(2, said('a', 5, { pooled: 6 }), said('b', 5)), 'wait');
  assert.equal(judge(2, said('a', 5, { pooled: 9 }), said('b', 5, { pooled: 9 })), 'wait', 'a pool halts no sender');
  assert.equal(judge(2, said('a', 5), said('b', 3, { head: 90 })), 'go', 'one lags');
  const liar = { quorum: 2, said: [said('a', 9), said('b', 5), said('c', 5)] };
  assert.deepEqual(
    overruledOf(liar).map(({ provider }) => provider),
    ['a'],
  );
});

let sandbox: PayoutService;
let counts: SlotCount[] | undefined;
let transfers: OwnTransfer[] | undefined;
let shown = true;
before(async () => {
  sandbox = await startPayoutService(chain => {
    if (chain.network === 'polygon') {
      return { ...chain, slotCounts: async () => ({ quorum: 2, said: counts ?? [said('a', 0), said('b', 0)] }) };
    }
    if (chain.network === 'base' || chain.network === 'arbitrum') {
      return { ...chain, nextNonce: async () => 3n, slotCounts: async () => ({ quorum: 1, said: [said('a', 3)] }) };
    }
    return { ...chain, ownTransfers: async () => transfers, isShown: async () => shown };
  });
});
after(() => sandbox.stop());
beforeEach(() => {
  counts = undefined;
  transfers = [];
  shown = true;
});

const halts = async () => (await sandbox.service.get('/payouts/senders/halted')).json.senders;
const slots = async (order: Answer) => (await sandbox.payouts(order)).length;
const errorOf = async (order: Answer) => (await sandbox.orders.read(order)).lastError ?? '';
const later = () => sandbox.orders.advance('PT30S');

test('a single provider that counts more, or a pool, makes the line wait until they agree with the books', async () => {
  counts = [said('a', 50), said('b', 0)];
  const order = await sandbox.paid();
  assert.equal(await slots(order), 0);
  assert.match(await errorOf(order), /^a shows slots as used that the books never gave out, and b does not\.$/);
  counts = [said('a', 0), said('b', 0, { pooled: 50 })];
  await later();
  assert.equal(await slots(order), 0);
  assert.match(await errorOf(order), /^A transaction of the sender that is not in the books waits in the pool of b:/);
  counts = undefined;
  await later();
  assert.equal(await slots(order), 1);
  assert.deepEqual(await halts(), []);
});

test('unreadable blocks, or a transfer that only one node shows, make the line wait', async () => {
  const transfer = {
    hash: 'ab'.repeat(32),
    symbol: 'usdt',
    to: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
    units: 1n,
  } as const;
  transfers = undefined;
  const order = await sandbox.paid({ network: 'tron' });
  assert.equal(await slots(order), 0);
  assert.match(await errorOf(order), /^No node shows all blocks of the last minutes/);
  transfers = [transfer];
  shown = false;
  await later();
  assert.match(await errorOf(order), new RegExp(`^A node shows ${transfer.hash} of the sender`));
  assert.deepEqual(await halts(), []);
  transfers = [];
  await later();
  assert.equal(await slots(order), 1);

  // Two nodes show it while the process runs.
  transfers = [transfer];
  shown = true;
  const next = await sandbox.paid({ network: 'tron' });
  const [halted] = await halts();
  assert.match(halted.words, new RegExp(`^${transfer.hash} left the sender and is not in the books`));
  assert.equal(await slots(next), 0);
  assert.equal(await sandbox.transfers('tron'), 1);
});

test('a sender whose slots a quorum counts as used takes no slot and no sweep', async () => {
  counts = [said('a', 50), said('b', 50)];
  const order = await sandbox.paid();
  assert.equal(await slots(order), 0);
  assert.match(await errorOf(order), /^The chain has used the slots below 50, and the books gave out those below \d+/);
  const halted = (await halts()).map(({ network }: { network: string }) => network);
  assert.ok(halted.includes('polygon'));
  // They are in no final block, so it would be halted again.
  const { sender } = (await halts()).find(({ network }: { network: string }) => network === 'polygon');
  const refused = await sandbox.service.post('/payouts/senders/resume', { network: 'polygon', sender });
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state'], refused.text);
});

test('a sender with used slots that are missing in the books is halted once while orders of the coin are open', async () => {
  const order = await sandbox.paid({ network: 'base', symbol: 'eth', cost: 5_000 });
  assert.equal(await slots(order), 0);
  const { words: why, sender } = (await halts()).find(({ network }: { network: string }) => network === 'base');
  assert.match(why, /^The books have no payout of the sender\. It has used slots, and orders of eth, .* are open/);
  const resumed = await sandbox.service.post('/payouts/senders/resume', { network: 'base', sender });
  assert.equal(resumed.status, 200, resumed.text);
  await sandbox.service.runJobs();
  assert.deepEqual(
    (await sandbox.payouts(order)).map(({ nonce }) => nonce),
    [3],
  );
});

test('a sender with used slots and no open order of the coin continues', async () => {
  const order = await sandbox.paid({ network: 'arbitrum' });
  assert.deepEqual(
    (await sandbox.payouts(order)).map(({ nonce }) => nonce),
    [3],
  );
});
