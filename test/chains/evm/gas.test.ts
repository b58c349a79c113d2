// Payees whose code decides what a transfer of the coin costs, or whether it fails, on a real EVM node.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type EvmTest, openEvmTest, PAYEE, SENDER, startEvmNode } from '../../harness/evm.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

async function openWithPayee(code: string, changes: Parameters<typeof openEvmTest>[1] = {}): Promise<EvmTest> {
  const node = await startEvmNode();
  stops.push(() => node.anvil.stop());
  await node.anvil.rpc('anvil_setCode', [PAYEE, code]);
  return openEvmTest(node, changes);
}

/** Counts down from a number, at 26 units of gas for each. */
const loopOf = (count: number) => `0x62${count.toString(16).padStart(6, '0')}5b600190038060045700`;

test('a payee that takes more gas than the cap is refused, before a slot is taken and before a signature', async () => {
  const evm = await openWithPayee(loopOf(500_000));
  const transfer = evm.transfer('eth', 1n);
  const check = await evm.chain.check({ ...transfer, sender: SENDER });
  assert.ok(check.kind === 'refused' && check.reason === 'would_revert', check.kind);
  assert.match(check.words, /maxGas/);
  const signed = await evm.chain.sign(transfer, []);
  assert.ok(signed.kind === 'refused', signed.kind);
  assert.match(signed.words, /maxGas/);
});

test('the cap holds with the margin that is added to an estimate, and a setting raises it', async () => {
  // About 190,000 units of gas, and 228,000 with the margin.
  const code = loopOf(6_500);
  const evm = await openWithPayee(code);
  const check = await evm.chain.check({ ...evm.transfer('eth', 1n), sender: SENDER });
  assert.ok(check.kind === 'refused' && check.reason === 'would_revert', check.kind);
  const raised = await openWithPayee(code, { maxGas: 300_000n });
  assert.deepEqual(await raised.chain.check({ ...raised.transfer('eth', 1n), sender: SENDER }), { kind: 'ready' });
});

test('what a sender must have pays for the most gas that a transfer may take', async () => {
  // About 130,000 units of gas, and 156,000 with the margin: below the cap.
  const evm = await openWithPayee(loopOf(4_200));
  const transfer = evm.transfer('eth', 1n);
  const before = await evm.chain.funds(SENDER, 'eth');
  assert.ok(before);
  await evm.anvil.rpc('anvil_setBalance', [SENDER, `0x${(before.worstFee + transfer.units).toString(16)}`]);
  const attempt = await evm.sign(transfer);
  assert.deepEqual(await evm.chain.broadcast(attempt), { isSent: true });
});
