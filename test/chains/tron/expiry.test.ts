// Attempts on Tron share no nonce: a second one is signed only on the proof that the first can never be executed.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Attempt } from '../../../src/chains/chain.ts';
import { attemptOf, signedAttempt, startTron, type TronSetup, usdtTransfer } from '../../harness/tron.ts';

let tron: TronSetup;
afterEach(() => tron.stop());

/** Six minutes of life, a minute until solidified, a minute of margin. */
const LIFE_BLOCKS = 120;
const PAST_ALL_BLOCKS = LIFE_BLOCKS + 19 + 20 + 2;

const transfer = usdtTransfer();

async function lostAttempt(endpoints = 1): Promise<Attempt> {
  tron = await startTron({ node: { endpoints } });
  return signedAttempt(tron, transfer);
}

test('an attempt that no block included is stuck when the solidified head is past it, and another one pays once', async () => {
  const first = await lostAttempt(2);
  const { chain, node, clock, passBlocks } = tron;
  passBlocks(PAST_ALL_BLOCKS);
  assert.equal((await chain.lookup(transfer, [first])).kind, 'stuck');
  const second = attemptOf(await chain.sign(transfer, [first]), 2, clock);
  assert.notEqual(second.hash, first.hash);
  const late = await chain.broadcast(first);
  assert.equal(late.isSent, false);
  assert.match(late.message ?? '', /TRANSACTION_EXPIRATION_ERROR/);
  assert.equal((await chain.broadcast(second)).isSent, true);
  passBlocks(21);
  const mined = await chain.lookup(transfer, [first, second]);
  assert.ok(mined.kind === 'mined' && mined.isFinal && mined.hash === second.hash);
  assert.equal(node.transfers().length, 1);
});

test('no further attempt is signed while a block may include an earlier one', async () => {
  const first = await lostAttempt();
  const { chain, passBlocks } = tron;
  assert.equal((await chain.sign(transfer, [first])).kind, 'refused');
  // Past its expiration at the head, but not in the solidified chain.
  passBlocks(LIFE_BLOCKS + 5);
  assert.equal((await chain.lookup(transfer, [first])).kind, 'pending');
  assert.equal((await chain.sign(transfer, [first])).kind, 'refused');
  passBlocks(25);
  assert.equal((await chain.lookup(transfer, [first])).kind, 'pending');
  assert.equal((await chain.sign(transfer, [first])).kind, 'refused');
});

test('a transfer that was included at the last moment is found, not signed again', async () => {
  const first = await lostAttempt();
  const { chain, node, passBlocks } = tron;
  passBlocks(LIFE_BLOCKS - 1);
  assert.equal((await chain.broadcast(first)).isSent, true);
  passBlocks(PAST_ALL_BLOCKS);
  const mined = await chain.lookup(transfer, [first]);
  assert.ok(mined.kind === 'mined' && mined.outcome === 'transferred');
  const again = await chain.sign(transfer, [first]);
  assert.ok(again.kind === 'refused');
  assert.match(again.message, /was executed/);
  assert.equal(node.transfers().length, 1);
});

test('every attempt counts: the newest being expired is not enough, nor the oldest', async () => {
  const first = await lostAttempt();
  const { chain, clock, passBlocks } = tron;
  passBlocks(PAST_ALL_BLOCKS);
  const second = attemptOf(await chain.sign(transfer, [first]), 2, clock);
  assert.equal((await chain.lookup(transfer, [first, second])).kind, 'absent');
  assert.equal((await chain.sign(transfer, [first, second])).kind, 'refused');
  assert.equal((await chain.sign(transfer, [second, first])).kind, 'refused');
});

test('one of two nodes alone does not prove that an attempt is lost', async () => {
  const first = await lostAttempt(2);
  const { chain, node, passBlocks } = tron;
  passBlocks(PAST_ALL_BLOCKS);
  node.endpoints[1]?.setFault({ kind: 'cut' });
  assert.equal((await chain.lookup(transfer, [first])).kind, 'unknown');
  assert.equal((await chain.sign(transfer, [first])).kind, 'unknown');
  node.endpoints[1]?.clearFaults();
  // So far behind that its solidified head is before the expiration.
  node.endpoints[1]?.setFault({ kind: 'lagging', blocks: 60 });
  passBlocks(10);
  assert.equal((await chain.lookup(transfer, [first])).kind, 'unknown');
});

test('a node that hides a transfer cannot cause another one to be signed', async () => {
  const first = await lostAttempt(2);
  const { chain, node, passBlocks } = tron;
  await chain.broadcast(first);
  passBlocks(PAST_ALL_BLOCKS);
  node.endpoints[0].setFault({ kind: 'hiding' });
  const sighting = await chain.lookup(transfer, [first]);
  assert.equal(sighting.kind, 'unknown');
  assert.notEqual((await chain.sign(transfer, [first])).kind, 'signed');
});

test('an empty answer of a node that keeps only recent blocks proves nothing', async () => {
  const first = await lostAttempt();
  const { chain, node, passBlocks } = tron;
  await chain.broadcast(first);
  passBlocks(PAST_ALL_BLOCKS);
  node.endpoints[0].setFault({ kind: 'pruned', blocks: 50 });
  const sighting = await chain.lookup(transfer, [first]);
  assert.ok(sighting.kind === 'unknown');
  assert.match(sighting.message ?? '', /no blocks from the time of an attempt/);
});

test('bytes that are not those of the hash prove nothing', async () => {
  const first = await lostAttempt();
  const { chain, passBlocks } = tron;
  passBlocks(PAST_ALL_BLOCKS);
  const other = await signedAttempt(tron, usdtTransfer(1n));
  const sighting = await chain.lookup(transfer, [{ ...first, raw: other.raw }]);
  assert.equal(sighting.kind, 'unknown');
});

test('one node whose index has lost a transfer does not cause another one to be signed: its blocks have it', async () => {
  const first = await lostAttempt();
  const { chain, node, passBlocks } = tron;
  await chain.broadcast(first);
  node.endpoints[0].setFault({ kind: 'hiding', on: 'wallet/gettransaction' });
  node.endpoints[0].setFault({ kind: 'hiding', on: 'walletsolidity/gettransaction' });
  passBlocks(PAST_ALL_BLOCKS);
  const sighting = await chain.lookup(transfer, [first]);
  assert.ok(sighting.kind === 'unknown' && sighting.isAnswered, sighting.kind);
  assert.match(sighting.message ?? '', /a block has an attempt that the index of node-1 does not show/);
  assert.equal((await chain.sign(transfer, [first])).kind, 'unknown');
  node.endpoints[0].clearFaults();
  assert.equal((await chain.lookup(transfer, [first])).kind, 'mined');
  assert.equal((await chain.sign(transfer, [first])).kind, 'refused');
  assert.equal(node.transfers().length, 1);
});

test('one node proves by its blocks that an attempt was never included, and another one pays once', async () => {
  const first = await lostAttempt();
  const { chain, node, clock, passBlocks } = tron;
  passBlocks(PAST_ALL_BLOCKS);
  const before = node.endpoints[0].calls().length;
  assert.equal((await chain.lookup(transfer, [first])).kind, 'stuck');
  const second = attemptOf(await chain.sign(transfer, [first]), 2, clock);
  const read = node.endpoints[0]
    .calls()
    .slice(before)
    .filter(path => path.endsWith('getblockbylimitnext'));
  // The blocks of its lifetime and the solidified ones after it, ten a call, read once for the lookup and the signature.
  assert.ok(read.length > 10 && read.length < 20, `${read.length} calls`);
  await chain.broadcast(second);
  passBlocks(21);
  assert.equal((await chain.lookup(transfer, [first, second])).kind, 'mined');
  assert.equal(node.transfers().length, 1);
});

test('one node that does not show the blocks, or omits transactions, proves nothing', async () => {
  const first = await lostAttempt();
  const { chain, node, passBlocks } = tron;
  await chain.broadcast(first);
  passBlocks(PAST_ALL_BLOCKS);
  node.endpoints[0].setFault({ kind: 'hiding' });
  assert.equal((await chain.lookup(transfer, [first])).kind, 'unknown');
  assert.equal((await chain.sign(transfer, [first])).kind, 'unknown');
  node.endpoints[0].setFault({ kind: 'status', status: 500, on: 'walletsolidity/getblockbylimitnext' });
  const sighting = await chain.lookup(transfer, [first]);
  assert.ok(sighting.kind === 'unknown');
  assert.match(sighting.message ?? '', /a second provider/);
});
