// What our node adds to Hardhat's: finality behind the head, reorganisations, and a chain that survives a restart.
import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { type EvmNode, startEvmNode } from '../../../src/sandbox/evm-node/evm-node.ts';
import { startHardhat } from '../../../src/sandbox/evm-node/hardhat.ts';

const PAYEE = '0x000000000000000000000000000000000000beef';

test('the final block is two epochs behind the head, and never before the first', async t => {
  const node = await startEvmNode({ slotsInEpoch: 3 });
  t.after(() => node.stop());
  const numberOf = async (tag: string) => Number((await node.rpc('eth_getBlockByNumber', [tag, false])).number);
  assert.equal(await numberOf('finalized'), 0);
  await node.mine(10);
  assert.deepEqual([await numberOf('latest'), await numberOf('safe'), await numberOf('finalized')], [10, 7, 4]);
});

test('a reorganisation replaces blocks and drops what was in them', async t => {
  const node = await startEvmNode();
  t.after(() => node.stop());
  const hashOf = async (number: number) => (await node.rpc('eth_getBlockByNumber', [`0x${number}`, false])).hash;
  const mined = await node.send(PAYEE, '0x', 1n);
  await node.mine();
  const [first, second] = [await hashOf(1), await hashOf(2)];
  await node.rpc('anvil_reorg', [2, []]);
  assert.equal(await node.rpc('eth_blockNumber'), '0x2');
  assert.notEqual(await hashOf(1), first);
  assert.notEqual(await hashOf(2), second);
  assert.equal(await node.rpc('eth_getTransactionReceipt', [mined]), null);
  assert.equal(await node.rpc('eth_getBalance', [PAYEE, 'latest']), '0x0');
});

test('a stored chain is the same after a restart, also when the last line of its journal is cut off', async t => {
  const folder = await mkdtemp(path.join(tmpdir(), 'trilho-chain-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const stateFile = path.join(folder, 'blocks.jsonl');
  const headAfter = async (change: (node: EvmNode) => Promise<unknown>) => {
    const node = await startEvmNode({ stateFile });
    try {
      await change(node);
      const { hash, number } = await node.rpc('eth_getBlockByNumber', ['latest', false]);
      return { hash, number: Number(number) };
    } finally {
      await node.stop();
    }
  };
  const made = await headAfter(node => node.send(PAYEE, '0x', 5n));
  await appendFile(stateFile, '{"method":"eth_sendRaw');
  assert.deepEqual(await headAfter(async () => {}), made);
  const grown = await headAfter(node => node.mine(2));
  assert.equal(grown.number, made.number + 2);
  assert.deepEqual(await headAfter(async () => {}), grown);
  assert.doesNotMatch(await readFile(stateFile, 'utf8'), /eth_sendRaw/);
  await assert.rejects(
    headAfter(node => node.rpc('anvil_reorg', [1, []])),
    /cannot be reorganised/,
  );
});

test('an invalid body gets an error, and the node still answers', async t => {
  const node = await startHardhat({ chainId: 31_337, port: 0, slotsInEpoch: 1 });
  t.after(() => node.stop());
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer.
  const post = async (body: string): Promise<any> =>
    [await (await fetch(node.url, { method: 'POST', body })).json()].flat()[0];
  for (const body of ['{', '5', '[{}]', '{"method":1}']) assert.equal((await post(body)).error.code, -32_600, body);
  assert.equal((await post('{"id":1,"method":"eth_chainId"}')).result, '0x7a69');
});
