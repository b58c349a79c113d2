// Payees whose code decides what a transfer of the coin costs, or whether it fails, on a real EVM node.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { callNode } from '../../../src/sandbox/evm-node/evm-node.ts';
import { type EvmTest, openEvmTest, PAYEE, SENDER, startFundedNode } from '../../harness/evm.ts';
import { type Rule, startRpcProxy } from '../../harness/rpc-proxy.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

async function openWithPayee(code: string, changes: Parameters<typeof openEvmTest>[1] = {}): Promise<EvmTest> {
  const funded = await startFundedNode();
  stops.push(() => funded.node.stop());
  await funded.node.rpc('anvil_setCode', [PAYEE, code]);
  return openEvmTest(funded, changes);
}

/** Counts down from a number, at 26 units of gas for each. */
const loopOf = (count: number) => `0x62${count.toString(16).padStart(6, '0')}5b600190038060045700`;

test('a payee that needs more gas than the cap is refused, before a slot is taken and before a signature', async () => {
  const evm = await openWithPayee(loopOf(500_000));
  const transfer = evm.transfer('eth', 1n);
  const check = await evm.chain.check({ ...transfer, sender: SENDER });
  assert.ok(check.kind === 'refused' && check.reason === 'would_revert', check.kind);
  assert.match(check.message, /maxGas/);
  const signed = await evm.chain.sign(transfer, []);
  assert.ok(signed.kind === 'refused', signed.kind);
  assert.match(signed.message, /maxGas/);
});

test('the cap includes the margin that is added to an estimate, and a setting raises it', async () => {
  // About 190,000 units of gas, and 228,000 with the margin.
  const code = loopOf(6_500);
  const evm = await openWithPayee(code);
  const check = await evm.chain.check({ ...evm.transfer('eth', 1n), sender: SENDER });
  assert.ok(check.kind === 'refused' && check.reason === 'would_revert', check.kind);
  const raised = await openWithPayee(code, { maxGas: 300_000n });
  assert.deepEqual(await raised.chain.check({ ...raised.transfer('eth', 1n), sender: SENDER }), { kind: 'ready' });
});

test('the required funds of a sender pay for the most gas that a transfer may use', async () => {
  // About 130,000 units of gas, and 156,000 with the margin: below the cap.
  const evm = await openWithPayee(loopOf(4_200));
  const transfer = evm.transfer('eth', 1n);
  const before = await evm.chain.funds(SENDER, 'eth');
  assert.ok(before);
  await evm.node.rpc('anvil_setBalance', [SENDER, `0x${(before.worstFee + transfer.units).toString(16)}`]);
  const attempt = await evm.sign(transfer);
  assert.deepEqual(await evm.chain.broadcast(attempt), { isSent: true });
});

for (const [about, code] of [
  ['jumps to an invalid destination', '0x600056'],
  ['pops an empty stack', '0x50'],
  ['has an invalid instruction', '0xfe'],
] as const) {
  test(`a payee whose code ${about} is refused with the node's message`, async () => {
    const evm = await openWithPayee(code);
    const transfer = evm.transfer('eth', 1n);
    const check = await evm.chain.check({ ...transfer, sender: SENDER });
    assert.ok(check.kind === 'refused' && check.reason === 'would_revert', check.kind);
    const { error } = await callNode(evm.node.url, 'eth_estimateGas', [{ from: SENDER, to: PAYEE, value: '0x1' }]);
    assert.ok(error && check.message.startsWith(error.message), check.message);
    assert.equal((await evm.chain.sign(transfer, [])).kind, 'refused');
  });
}

type NodeError = { readonly code: number; readonly message: string };

/** A chain whose node answers estimates, those of transfers to the payee or all of them, with an error. */
async function openWithError(error: NodeError, isForAll: boolean): Promise<EvmTest> {
  const funded = await startFundedNode();
  const proxy = await startRpcProxy(funded.node.url);
  stops.push(async () => {
    await proxy.stop();
    await funded.node.stop();
  });
  const rule: Rule = ({ method, params }) => {
    if (method !== 'eth_estimateGas') return undefined;
    const [call] = params as [{ readonly to: string }];
    return isForAll || call.to === PAYEE ? { error } : undefined;
  };
  proxy.rule = rule;
  return openEvmTest(funded, { providers: [{ name: 'proxy', url: proxy.url, timeoutSeconds: 20 }] });
}

test("whatever the node's message, a transfer that it refuses while it accepts others would fail", async () => {
  for (const error of [
    { code: -32_000, message: 'invalid jump destination' },
    { code: -32_015, message: 'Transaction execution fails' },
  ]) {
    const evm = await openWithError(error, false);
    const check = await evm.chain.check({ ...evm.transfer('eth', 1n), sender: SENDER });
    assert.deepEqual(check, { kind: 'refused', reason: 'would_revert', message: error.message });
  }
});

test('a node that refuses every transfer, or cannot answer, is no evidence about a payee', async () => {
  for (const [error, isForAll] of [
    [{ code: -32_000, message: 'header not found' }, true],
    [{ code: -32_002, message: 'request timed out' }, false],
    [{ code: -32_601, message: 'the method does not exist' }, true],
  ] as const) {
    const evm = await openWithError(error, isForAll);
    const transfer = evm.transfer('eth', 1n);
    assert.deepEqual(await evm.chain.check({ ...transfer, sender: SENDER }), {
      kind: 'unknown',
      message: `proxy: ${error.message}`,
    });
    const signed = await evm.chain.sign(transfer, []);
    assert.deepEqual([signed.kind, 'message' in signed && signed.message], ['unknown', `proxy: ${error.message}`]);
  }
});
