// The conclusions when one node lies about blocks that the other has not reached.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressWord, TRANSFER_TOPIC } from '../../../src/chains/tron/abi.ts';
import { hexAddress } from '../../../src/chains/tron/hex-address.ts';
import { lookUp, type Question } from '../../../src/chains/tron/lookup.ts';
import type { Node } from '../../../src/chains/tron/nodes.ts';
import { SENDER, USDT, usdtTransfer } from '../../harness/tron.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const HASH = 'ab'.repeat(32);
const transfer = usdtTransfer();
const question: Question = {
  transfer,
  asset: { kind: 'token', contract: USDT },
  attempts: [{ hash: HASH, expirationMs: NOW + 300_000, refBlockBits: 1 }],
};

type Shown = { readonly name: string; readonly block: number; readonly isFailed: boolean; readonly feeUnits?: bigint };

/** A node whose solidified chain ends a hundred blocks above the transfer. It answers only the calls of a lookup. */
function nodeThatShows({ name, block, isFailed, feeUnits = 1n }: Shown): Node {
  const blockAt = (number: number) => ({
    number,
    id: number.toString(16).padStart(16, '0') + Buffer.from(name).toString('hex').padEnd(48, '0'),
    timeMs: NOW,
  });
  const topics = [TRANSFER_TOPIC, addressWord(SENDER), addressWord(transfer.to)];
  const log = { contract: hexAddress(USDT).slice(2), topics, data: transfer.units.toString(16).padStart(64, '0') };
  const info = {
    blockNumber: block,
    feeUnits,
    result: isFailed ? 'REVERT' : 'SUCCESS',
    isFailed,
    logs: isFailed ? [] : [log],
  };
  const never = () => assert.fail('a lookup asks for nothing else');
  return {
    name,
    heads: async () => ({ value: { head: blockAt(block + 200), solid: blockAt(block + 100) } }),
    block: async (_, number) => ({ value: blockAt(number) }),
    info: async () => ({ value: info }),
    contractRet: async () => ({ value: 'SUCCESS' }),
    isWaiting: async () => ({ value: false }),
    signedBytes: never,
    account: never,
    blocks: never,
    solid: never,
    call: never,
    parameters: never,
    broadcast: never,
  };
}

test('a node that shows a failure far above the other is not believed, at any place in the list', async () => {
  const liar = nodeThatShows({ name: 'liar', block: 5_000, isFailed: true });
  const honest = nodeThatShows({ name: 'honest', block: 1_000, isFailed: false });
  for (const nodes of [
    [liar, honest],
    [honest, liar],
    [liar, honest, honest],
  ]) {
    assert.equal((await lookUp(nodes, question)).kind, 'unknown');
  }
  const agreed = await lookUp([honest, honest], question);
  assert.deepEqual([agreed.kind, agreed.kind === 'mined' && agreed.isFinal], ['mined', true]);
});

test('a node that invents the fee is not believed', async () => {
  const shown = { name: 'node', block: 1_000, isFailed: false };
  const [liar, honest] = [nodeThatShows({ ...shown, feeUnits: 2n ** 60n }), nodeThatShows(shown)];
  assert.equal((await lookUp([liar, honest], question)).kind, 'unknown');
  assert.equal((await lookUp([honest, liar], question)).kind, 'unknown');
});

test('a block that held the transfer is undone when two nodes show another in its place, not one', async () => {
  const nowhere = (name: string): Node => ({
    ...nodeThatShows({ name, block: 1_000, isFailed: false }),
    info: async () => ({ value: 'absent' }),
  });
  const silent: Node = { ...nowhere('silent'), heads: async () => ({ failure: 'silent does not answer' }) };
  const seen = { ...question, seen: { number: 1_000, hash: 'f'.repeat(64) } };
  assert.equal((await lookUp([nowhere('one'), silent], seen)).kind, 'unknown');
  assert.notEqual((await lookUp([nowhere('one'), nowhere('two')], seen)).kind, 'unknown');
});
