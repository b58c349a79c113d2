// The outcomes of a slot on a real EVM node: outbid, voided, lost, taken by another user of the key, undone.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Attempt } from '../../../src/chains/chain.ts';
import { readTransaction } from '../../../src/chains/evm/transaction.ts';
import { DEPTH, type EvmTest, minedOf, openEvmTest, PAYEE, SENDER, startFundedNode } from '../../harness/evm.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

async function open(changes: Parameters<typeof openEvmTest>[1] = {}): Promise<EvmTest> {
  const funded = await startFundedNode();
  stops.push(() => funded.node.stop());
  return openEvmTest(funded, changes);
}

const GWEI = 10n ** 9n;
const DAY_MS = 86_400_000;
/** Of Ethereum. */
const STUCK_MS = 3 * 60_000;
const raiseBaseFee = (evm: EvmTest, fee: bigint) =>
  evm.node.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${fee.toString(16)}`]);

function feesOf({ raw }: Attempt) {
  const fields = readTransaction(raw)?.fields;
  assert.ok(fields);
  return [fields.maxFeePerGas, fields.maxPriorityFeePerGas] as const;
}

test('an attempt below a risen base fee is stuck; the next outbids it by an eighth and arrives once', async () => {
  const evm = await open();
  const transfer = evm.transfer();
  const [first] = await evm.send(transfer);
  assert.ok(first);
  await raiseBaseFee(evm, 40n * GWEI);
  await evm.node.mine();
  assert.equal((await evm.look(transfer, [first])).kind, 'stuck');
  const second = await evm.sign(transfer, [first]);
  const [[fee, tip], [higherFee, higherTip]] = [feesOf(first), feesOf(second)];
  assert.ok(higherFee * 8n >= fee * 9n && higherTip * 8n >= tip * 9n, 'both fees are an eighth higher');
  assert.equal((await evm.chain.broadcast(second)).isSent, true);
  await evm.node.mine();
  const { hash, outcome } = minedOf(await evm.look(transfer, [first, second]));
  assert.deepEqual([hash, outcome], [second.hash, 'transferred']);
  assert.equal(await evm.usdt.balanceOf(PAYEE), transfer.units);
});

test('an attempt that waits too long in the first place is stuck, and one behind another slot is not', async () => {
  const evm = await open();
  const [one, two] = [evm.transfer(), evm.transfer()];
  const [ofOne, ofTwo] = [await evm.send(one), await evm.send(two)];
  evm.clock.advanceMs(3 * 60_000);
  assert.equal((await evm.look(one, ofOne)).kind, 'stuck');
  assert.equal((await evm.look(two, ofTwo)).kind, 'pending');
});

test('every earlier attempt is outbid, and at the cap nothing is signed', async () => {
  const evm = await open({ maxFee: 3n * GWEI });
  const transfer = evm.transfer();
  const attempts: Attempt[] = [];
  for (;;) {
    const signed = await evm.chain.sign(transfer, attempts.toReversed());
    if (signed.kind !== 'signed') {
      assert.deepEqual(signed, { kind: 'refused', message: 'fee above the cap' });
      break;
    }
    const { hash, raw } = signed;
    const next: Attempt = { number: attempts.length + 1, kind: 'transfer', hash, raw, signedAt: evm.clock.now() };
    for (const earlier of attempts) {
      const [[fee, tip], [nextFee, nextTip]] = [feesOf(earlier), feesOf(next)];
      assert.ok(nextFee * 8n >= fee * 9n && nextTip * 8n >= tip * 9n);
    }
    attempts.push(next);
    assert.ok(attempts.length < 30);
  }
  assert.ok(attempts.length > 1);
  await raiseBaseFee(evm, 4n * GWEI);
  await evm.node.mine();
  const check = await evm.chain.check({ ...transfer, sender: SENDER });
  assert.deepEqual(check, { kind: 'refused', reason: 'fee_too_high', message: 'fee above the cap' });
});

test('a void uses up the slot and moves nothing', async () => {
  const evm = await open();
  const transfer = evm.transfer();
  const [first] = await evm.send(transfer);
  assert.ok(first);
  const second = await evm.sign(transfer, [first], 'void');
  await evm.chain.broadcast(second);
  await evm.node.mine();
  const { hash, outcome, leftUnits } = minedOf(await evm.look(transfer, [first, second]));
  assert.deepEqual([hash, outcome, leftUnits], [second.hash, 'voided', 0n]);
  assert.equal(await evm.usdt.balanceOf(PAYEE), 0n);
});

test('an attempt that the pool has dropped is absent and may be sent again; below the base fee, or after long, it is stuck', async () => {
  const evm = await open();
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.rpc('anvil_dropTransaction', [attempts[0]?.hash]);
  assert.equal((await evm.look(transfer, attempts)).kind, 'absent');
  const young = attempts.map(attempt => ({
    ...attempt,
    signedAt: new Date(attempt.signedAt.getTime() - 2 * STUCK_MS),
  }));
  assert.equal(
    (await evm.look(transfer, young)).kind,
    'absent',
    'it may be refused for lack of coin, which may arrive',
  );
  // A pool that requires a higher bid refuses the same bytes forever.
  const old = attempts.map(attempt => ({ ...attempt, signedAt: new Date(attempt.signedAt.getTime() - DAY_MS) }));
  assert.equal((await evm.look(transfer, old)).kind, 'stuck');
  const behind = evm.transfer();
  const signed = await evm.sign(behind);
  const waiting = [{ ...signed, signedAt: new Date(signed.signedAt.getTime() - DAY_MS) }];
  assert.equal((await evm.look(behind, waiting)).kind, 'absent', 'it waits for the slot before it');
  await raiseBaseFee(evm, 40n * GWEI);
  await evm.node.mine();
  assert.equal((await evm.look(transfer, attempts)).kind, 'stuck');
});

test('an attempt behind a gap is pending if a node keeps it', async () => {
  const evm = await open();
  evm.transfer();
  const behind = evm.transfer();
  assert.equal((await evm.look(behind, await evm.send(behind))).kind, 'pending');
});

test('a slot that another user of the key has used is taken, once that is final', async () => {
  const evm = await open();
  const transfer = evm.transfer();
  const foreign = await evm.sign({ ...transfer, units: 1n });
  const ours = await evm.sign(transfer);
  await evm.chain.broadcast(foreign);
  await evm.node.mine();
  assert.equal((await evm.look(transfer, [ours])).kind, 'unknown');
  await evm.node.mine(DEPTH);
  assert.deepEqual(await evm.look(transfer, [ours]), { kind: 'taken' });
  const { isSent, message } = await evm.chain.broadcast(ours);
  assert.equal(isSent, false);
  assert.match(message ?? '', /^node: .*nonce too low/i);
});

test('a block that a reorganisation replaced is undone, and the same bytes arrive once', async () => {
  const evm = await open();
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine(2);
  const { block } = minedOf(await evm.look(transfer, attempts));
  await evm.node.rpc('anvil_reorg', [2, []]);
  assert.equal((await evm.look(transfer, attempts, block)).kind, 'absent');
  for (const attempt of attempts) await evm.chain.broadcast(attempt);
  assert.equal((await evm.look(transfer, attempts, block)).kind, 'pending');
  await evm.node.mine(DEPTH);
  const again = minedOf(await evm.look(transfer, attempts, block));
  assert.deepEqual([again.outcome, again.isFinal], ['transferred', true]);
  assert.notEqual(again.block.hash, block.hash);
  assert.equal(await evm.usdt.balanceOf(PAYEE), transfer.units);
});

test('the next lookup is due with the next block, after the missing confirmations, or on the way to finality', async () => {
  const evm = await open({ test: { chainId: 31_337, blockMs: 12_000, tokens: {} } });
  const now = new Date('2026-11-16T12:00:00Z');
  const inMs = (sighting: Parameters<typeof evm.chain.nextLookupAt>[0]) =>
    evm.chain.nextLookupAt(sighting, now).getTime() - now.getTime();
  const block = { number: 1, hash: `0x${'1'.repeat(64)}` };
  const mined = { kind: 'mined', hash: block.hash, block, isFinal: false, outcome: 'transferred' } as const;
  const amounts = { leftUnits: 1n, feeUnits: 1n };
  assert.equal(inMs({ kind: 'pending' }), 12_000);
  assert.equal(inMs({ ...mined, ...amounts, confirmations: 1 }), (DEPTH - 1) * 12_000);
  assert.equal(inMs({ ...mined, ...amounts, confirmations: DEPTH }), 4 * 60_000);
});
