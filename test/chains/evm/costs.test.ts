// The cost of a transfer and the funds of a sender by several providers, on a real EVM node.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readTransaction } from '../../../src/chains/evm/transaction.ts';
import { openEvmTest, SENDER, startFundedNode } from '../../harness/evm.ts';
import { startRpcProxy } from '../../harness/rpc-proxy.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

const GWEI = 10n ** 9n;
const COIN = 10n ** 18n;
const hex = (value: bigint) => `0x${value.toString(16)}`;

/** Two providers: first the proxy that a test controls, then the node itself. */
async function openWithTwo() {
  const funded = await startFundedNode();
  const proxy = await startRpcProxy(funded.node.url);
  stops.push(async () => {
    await proxy.stop();
    await funded.node.stop();
  });
  const providers = [
    { name: 'ruled', url: proxy.url, timeoutSeconds: 20 },
    { name: 'node', url: funded.node.url, timeoutSeconds: 20 },
  ];
  return { ...(await openEvmTest(funded, { providers })), proxy };
}

test('the tip is the lowest that a provider names, and no provider alone makes it high', async () => {
  const evm = await openWithTwo();
  const named = BigInt(await evm.node.rpc('eth_maxPriorityFeePerGas'));
  const tipOf = async () => readTransaction((await evm.sign(evm.transfer())).raw)?.fields.maxPriorityFeePerGas;
  assert.equal(await tipOf(), named);
  evm.proxy.rule = ({ method }) =>
    method === 'eth_maxPriorityFeePerGas' ? { result: hex(named + 250n * GWEI) } : undefined;
  assert.equal(await tipOf(), named);
  evm.proxy.rule = ({ method }) =>
    method === 'eth_maxPriorityFeePerGas' ? { error: { code: -32_601, message: 'no such method' } } : undefined;
  assert.equal(await tipOf(), named, 'a provider that names no tip does not lower it to the floor');
});

test('the funds of a sender are the lowest that any provider shows: one that lags shows spent funds', async () => {
  const evm = await openWithTwo();
  const asset = await evm.usdt.balanceOf(SENDER);
  const coin = BigInt(await evm.node.rpc('eth_getBalance', [SENDER, 'latest']));
  evm.proxy.rule = ({ method, params }) => {
    if (method === 'eth_getBalance') return { result: hex(coin + COIN) };
    const [call] = params as [{ readonly to?: string }];
    const isBalance = method === 'eth_call' && call.to?.toLowerCase() === evm.usdt.address.toLowerCase();
    return isBalance ? { result: `0x${(asset + 1n).toString(16).padStart(64, '0')}` } : undefined;
  };
  const token = await evm.chain.funds(SENDER, 'usdt');
  assert.deepEqual([token?.asset, token?.coin], [asset, coin]);
  const ofCoin = await evm.chain.funds(SENDER, 'eth');
  assert.deepEqual([ofCoin?.asset, ofCoin?.coin], [coin, coin]);
  evm.proxy.status = 503;
  assert.equal((await evm.chain.funds(SENDER, 'usdt'))?.asset, asset);
});
