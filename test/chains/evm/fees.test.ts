// Fees of type 2 transactions: floor, cap and bump, over any history of bids.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Bid, nextBid } from '../../../src/chains/evm/fees.ts';

const GWEI = 10n ** 9n;
const LIMITS = { minTip: 30n * GWEI, maxFee: 500n * GWEI };

test('a first bid is twice the base fee and the tip, at least the floor and at most the cap', () => {
  const tip = 40n * GWEI;
  assert.deepEqual(nextBid({ baseFee: 100n * GWEI, tip }, LIMITS, []), {
    maxFeePerGas: 240n * GWEI,
    maxPriorityFeePerGas: tip,
  });
  assert.equal(nextBid({ baseFee: 100n * GWEI, tip: 1n }, LIMITS, [])?.maxPriorityFeePerGas, LIMITS.minTip);
  assert.equal(nextBid({ baseFee: 400n * GWEI, tip }, LIMITS, [])?.maxFeePerGas, LIMITS.maxFee);
  assert.equal(nextBid({ baseFee: 470n * GWEI, tip }, LIMITS, []), undefined);
});

test('on a network with a base fee of 0 the fee is the tip', () => {
  const bid = nextBid({ baseFee: 0n, tip: 0n }, { minTip: GWEI / 20n, maxFee: 20n * GWEI }, []);
  assert.deepEqual(bid, { maxFeePerGas: GWEI / 20n, maxPriorityFeePerGas: GWEI / 20n });
});

test('for any network fees a bid exceeds all earlier ones by an eighth, stays below the cap, and its tip below its fee', () => {
  const wei = fc.bigInt(0n, 600n * GWEI);
  const level = fc.record({ baseFee: wei, tip: wei });
  fc.assert(
    fc.property(fc.array(level, { minLength: 1, maxLength: 12 }), levels => {
      const bids: Bid[] = [];
      for (const now of levels) {
        const bid = nextBid(now, LIMITS, bids);
        if (!bid) continue;
        assert.ok(bid.maxFeePerGas <= LIMITS.maxFee && bid.maxPriorityFeePerGas >= LIMITS.minTip);
        assert.ok(bid.maxPriorityFeePerGas <= bid.maxFeePerGas && bid.maxFeePerGas >= now.baseFee);
        for (const earlier of bids) {
          assert.ok(bid.maxFeePerGas * 8n >= earlier.maxFeePerGas * 9n);
          assert.ok(bid.maxPriorityFeePerGas * 8n >= earlier.maxPriorityFeePerGas * 9n);
        }
        bids.push(bid);
      }
    }),
  );
});
