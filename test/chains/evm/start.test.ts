// The checks of a chain before its first transfer: wrong answers are faults that name the setting, silence is not.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readAddress } from '../../../src/chains/address.ts';
import { type EvmNode, startEvmNode } from '../../../src/sandbox/evm-node/evm-node.ts';
import { type FundedNode, openEvmTest, SENDER, startFundedNode } from '../../harness/evm.ts';
import { startRpcProxy } from '../../harness/rpc-proxy.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

async function startNode(): Promise<FundedNode> {
  const funded = await startFundedNode();
  stops.push(() => funded.node.stop());
  return funded;
}

async function proxyOf({ url }: Pick<EvmNode, 'url'>) {
  const proxy = await startRpcProxy(url);
  stops.push(() => proxy.stop());
  return proxy;
}

test('a correct node has no fault', async () => {
  const { start, chain } = await openEvmTest(await startNode());
  assert.deepEqual(start, { faults: [], warnings: [], isComplete: true, isDelegated: false });
  assert.equal(chain.window, 8);
});

test('a node of another network is a fault, and gets no other call', async () => {
  const funded = await startNode();
  const other = await startEvmNode({ chainId: 5 });
  stops.push(() => other.stop());
  const proxy = await proxyOf(other);
  const providers = [
    { name: 'right', url: funded.node.url },
    { name: 'wrong', url: proxy.url },
  ];
  const { start, chain } = await openEvmTest(funded, { providers });
  assert.deepEqual(start.faults, ['providers[1].url is a node of chain 5, not of ethereum (31337)']);
  await chain.nextNonce(SENDER);
  assert.deepEqual([...new Set(proxy.calls)], ['eth_chainId']);
});

test('a token without code and one with other decimals are faults', async () => {
  const funded = await startNode();
  const usdc = `0x${'12'.repeat(20)}`;
  const tokens = { usdt: funded.usdt.address, usdc };
  const { start } = await openEvmTest(funded, { test: { chainId: 31_337, tokens } });
  assert.deepEqual(start.faults, [`test.tokens.usdc: the contract of usdc on ethereum, ${usdc}, has no code`]);
  // On BSC both have 18 decimals.
  const spelled = readAddress('bsc', funded.usdt.address).address;
  const bsc = await openEvmTest(funded, {
    network: 'bsc',
    test: { chainId: 31_337, tokens: { usdt: funded.usdt.address } },
  });
  assert.deepEqual(bsc.start.faults, [
    `test.tokens.usdt: the contract of usdt on bsc, ${spelled}, must have 18 decimals, and has 6`,
  ]);
});

test('a sender that is a contract is a fault; a delegated account sends one at a time', async () => {
  const funded = await startNode();
  await funded.node.rpc('anvil_setCode', [SENDER, '0x6001']);
  const { start } = await openEvmTest(funded);
  assert.deepEqual(start.faults, ['senders[0] is a contract, which has no key']);
  await funded.node.rpc('anvil_setCode', [SENDER, `0xef0100${'22'.repeat(20)}`]);
  const delegated = await openEvmTest(funded);
  assert.deepEqual([delegated.start.faults, delegated.chain.window], [[], 1]);
});

test('a node that does not know the final block is a fault', async () => {
  const funded = await startNode();
  const proxy = await proxyOf(funded.node);
  proxy.rule = ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'finalized'
      ? { error: { code: -39001, message: 'unknown block' } }
      : undefined;
  const { start } = await openEvmTest(funded, { providers: [{ name: 'p', url: proxy.url }] });
  assert.deepEqual(start.faults, ['providers[0].url is a node that does not say which block is final']);
});

test('a silent provider is no fault: nothing is signed until it answers and everything was checked', async () => {
  const funded = await startNode();
  const proxy = await proxyOf(funded.node);
  proxy.status = 502;
  const evm = await openEvmTest(funded, { providers: [{ name: 'p', url: proxy.url }] });
  assert.deepEqual(evm.start.faults, []);
  assert.deepEqual(evm.start.warnings, ['providers[0] (p) does not answer; it is checked before its first use']);
  const transfer = evm.transfer();
  assert.equal((await evm.chain.sign(transfer, [])).kind, 'unknown');
  proxy.status = 200;
  await funded.node.rpc('anvil_setCode', [SENDER, '0x6001']);
  evm.clock.advanceMs(60_000);
  assert.deepEqual(await evm.chain.sign(transfer, []), {
    kind: 'unknown',
    message: 'senders[0] is a contract, which has no key',
  });
  assert.equal((await evm.chain.health()).fault, 'senders[0] is a contract, which has no key');
  const { slot, ...intent } = transfer;
  assert.deepEqual(await evm.chain.check({ ...intent, sender: slot.sender }), {
    kind: 'unknown',
    message: 'senders[0] is a contract, which has no key',
  });
  await funded.node.rpc('anvil_setCode', [SENDER, '0x']);
  evm.clock.advanceMs(60_000);
  assert.equal((await evm.chain.sign(transfer, [])).kind, 'signed');
  assert.equal((await evm.chain.health()).fault, undefined);
});

test('while a foreign transaction is pending, the first slot is not taken: the transaction may be dropped and leave a gap', async () => {
  const evm = await openEvmTest(await startNode());
  const [foreign] = await evm.send(evm.transfer());
  assert.equal(await evm.chain.nextNonce(SENDER), undefined);
  await evm.node.rpc('anvil_dropTransaction', [foreign?.hash]);
  evm.clock.advanceMs(60_000);
  assert.equal(await evm.chain.nextNonce(SENDER), 0n);
});
