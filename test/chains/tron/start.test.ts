// The checks of nodes and signers before the first transfer on Tron.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { keySigner } from '../../../src/chains/signer/key-signer.ts';
import { openTronChain } from '../../../src/chains/tron/tron-chain.ts';
import { startTronNode, type TronNode, type TronNodeOptions } from '../../../src/sandbox/tron-node/start.ts';
import { testClock } from '../../harness/clock.ts';
import { PAYEE, SENDER, SIGNER, startTron, USDT, usdtTransfer } from '../../harness/tron.ts';

let node: TronNode;
afterEach(() => node.stop());

const clock = testClock('2026-11-16T12:00:00.000Z');

async function faultsOf(options: TronNodeOptions, prepare: (node: TronNode) => void, signer = SIGNER) {
  node = await startTronNode({ clock, ...options });
  prepare(node);
  const providers = [{ name: 'grid', url: node.endpoints[0].url }];
  const { start } = await openTronChain({ providers, senders: [{ address: SENDER, signer }] }, { clock });
  return start.faults;
}

const withUsdt = (at: TronNode) => at.setToken(USDT, {});

test('a node of the network with its tokens is no fault', async () => {
  assert.deepEqual(await faultsOf({}, withUsdt), []);
});

test('a node of another network is a fault of its setting', async () => {
  const genesisId = `${'0'.repeat(16)}${'ab'.repeat(24)}`;
  assert.deepEqual(await faultsOf({ genesisId }, withUsdt), [
    'providers[0].url is a node of another network, not of tron',
  ]);
});

test('a token without code or with other decimals is a fault', async () => {
  assert.deepEqual(await faultsOf({}, () => {}), [`providers: the contract of usdt on tron, ${USDT}, has no code`]);
  await node.stop();
  assert.deepEqual(await faultsOf({}, at => at.setToken(USDT, { decimals: 18 })), [
    `providers: the contract of usdt on tron, ${USDT}, must have 6 decimals, and has 18`,
  ]);
});

test('a signer of another address is a fault', async () => {
  const [fault, ...more] = await faultsOf({}, withUsdt, keySigner(new Uint8Array(32).fill(5)));
  assert.match(fault ?? '', /^senders\[0\]\.signer has the address T\w{33}, not T/);
  assert.deepEqual(more, []);
});

test('a silent node is a warning; nothing is signed until it was checked', async () => {
  node = await startTronNode({ clock });
  const [endpoint] = node.endpoints;
  endpoint.setFault({ kind: 'cut' });
  const settings = { providers: [{ name: 'grid', url: endpoint.url }], senders: [{ address: SENDER, signer: SIGNER }] };
  const { chain, start } = await openTronChain(
    { ...settings, senders: [{ address: SENDER, signer: SIGNER }] },
    { clock },
  );
  assert.deepEqual(start.faults, []);
  assert.match(start.warnings[0] ?? '', /^providers\[0\] does not answer/);
  endpoint.clearFaults();
  clock.advanceMs(10_000);
  // It answers now, and has another token than it must.
  node.setToken(USDT, { decimals: 18, balances: { [SENDER]: 10n ** 9n } });
  node.setBalance(SENDER, 10n ** 9n);
  const signed = await chain.sign(usdtTransfer(), []);
  assert.ok(signed.kind === 'unknown');
  assert.match(signed.message ?? '', /must have 6 decimals/);
});

test('tokens of another network come from the settings, and its first block is not checked', async () => {
  const setup = await startTron({
    node: { genesisId: `${'0'.repeat(16)}${'cd'.repeat(24)}` },
    chain: { test: { tokens: { usdt: PAYEE } } },
  });
  node = setup.node;
  assert.deepEqual(setup.start.faults, [`test.tokens.usdt: the contract of usdt on tron, ${PAYEE}, has no code`]);
});
