// The bids of the service on a real EVM node that accepts transfers and mines no block: each attempt bids more than all before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTransaction } from '../../src/chains/evm/transaction.ts';
import { openDrill } from '../harness/payout-drill/drill.ts';

const ROUNDS = 4;
const ROUND_MS = 600_000;

test("an attempt outbids every earlier one by an eighth, although the network's fee is unchanged, and one is mined", async () => {
  const drill = await openDrill('evm', 8, 0);
  try {
    await drill.pay(1);
    await drill.runJobs();
    for (let round = 0; round < ROUNDS; round++) await drill.pass(0, ROUND_MS);
    const rows = await drill.db.query<{ raw: string }>('select raw from payout_attempts order by number');
    const bids = rows.flatMap(({ raw }) => readTransaction(raw)?.fields ?? []);
    assert.ok(bids.length > 2, `${bids.length} attempts`);
    assert.equal(new Set(bids.map(({ nonce }) => nonce)).size, 1, 'all in one slot');
    for (const [index, bid] of bids.entries()) {
      for (const before of bids.slice(0, index)) {
        assert.equal(bid.gas, before.gas, 'the gas');
        assert.ok(bid.maxFeePerGas * 8n >= before.maxFeePerGas * 9n, 'the fee');
        assert.ok(bid.maxPriorityFeePerGas * 8n >= before.maxPriorityFeePerGas * 9n, 'the tip');
      }
    }
    await drill.rest();
    const { fulfilled, transfers, ...wrong } = await drill.judge();
    assert.deepEqual([fulfilled, transfers, wrong.lost, wrong.doubled, wrong.wrong], [1, 1, [], [], []]);
  } finally {
    await drill.close();
  }
});
