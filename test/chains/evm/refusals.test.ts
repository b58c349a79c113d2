// A provider that refuses every transfer, beside one that works: no order is held because of a provider's own trouble.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type EvmTest, openEvmTest, PAYEE, SENDER, startFundedNode } from '../../harness/evm.ts';
import { type RpcProxy, type Rule, startRpcProxy } from '../../harness/rpc-proxy.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

type NodeError = { readonly code: number; readonly message: string; readonly data?: string };

/** The first provider refuses simulations and calls of contracts. */
async function openWithBad(count: number, error: NodeError): Promise<EvmTest & { readonly bad: RpcProxy }> {
  const funded = await startFundedNode();
  const proxies = await Promise.all(Array.from({ length: count }, () => startRpcProxy(funded.node.url)));
  stops.push(async () => {
    await Promise.all(proxies.map(proxy => proxy.stop()));
    await funded.node.stop();
  });
  const providers = proxies.map(({ url }, index) => ({ name: `p${index}`, url, timeoutSeconds: 20 }));
  const evm = await openEvmTest(funded, { providers });
  const [bad] = proxies;
  assert.ok(bad);
  const rule: Rule = ({ method }) => (method === 'eth_estimateGas' || method === 'eth_call' ? { error } : undefined);
  bad.rule = rule;
  return { ...evm, bad };
}

const OF_ITSELF: readonly NodeError[] = [
  { code: -32_000, message: 'insufficient credits' },
  { code: -32_003, message: 'daily request limit reached, upgrade your plan' },
  { code: -32_603, message: 'unauthorized: invalid api key' },
  { code: -32_000, message: 'the method eth_estimateGas is not available' },
];
const REVERTS: readonly NodeError[] = [
  { code: -32_000, message: 'execution reverted' },
  { code: 3, message: 'execution reverted', data: '0x' },
];

for (const error of [...OF_ITSELF, ...REVERTS]) {
  test(`«${error.message}» (${error.code}) of the first provider refuses nothing while the second one works`, async () => {
    const evm = await openWithBad(2, error);
    const transfer = evm.transfer();
    assert.deepEqual(await evm.chain.check({ ...transfer, sender: SENDER }), { kind: 'ready' });
    // Without the cache of the check.
    await evm.sign(evm.transfer('usdc', 3n));
  });

  test(`«${error.message}» (${error.code}) of the only provider to every transfer is unknown`, async () => {
    const evm = await openWithBad(1, error);
    assert.equal((await evm.chain.check({ ...evm.transfer(), sender: SENDER })).kind, 'unknown');
    assert.equal((await evm.chain.sign(evm.transfer(), [])).kind, 'unknown');
  });
}

test('a transfer is refused when two providers agree, and one of them alone makes it wait', async () => {
  const evm = await openWithBad(2, { code: -32_000, message: 'unused' });
  evm.bad.rule = () => undefined;
  await evm.usdt.setBlocked(PAYEE, true);
  const refused = await evm.chain.check({ ...evm.transfer(), sender: SENDER });
  assert.ok(refused.kind === 'refused' && refused.reason === 'blocked');
  assert.equal((await evm.chain.sign(evm.transfer(), [])).kind, 'refused');
  evm.bad.status = 503;
  const waits = await evm.chain.check({ ...evm.transfer(), sender: SENDER });
  assert.ok(waits.kind === 'unknown');
  assert.match(waits.message ?? '', /p1: the issuer of usdt blocks the payee/);
});

test('one provider that calls every payee blocked refuses nothing while the second one works', async () => {
  const evm = await openWithBad(2, { code: -32_000, message: 'unused' });
  evm.bad.rule = ({ method }) => (method === 'eth_call' ? { result: `0x${'1'.padStart(64, '0')}` } : undefined);
  assert.deepEqual(await evm.chain.check({ ...evm.transfer(), sender: SENDER }), { kind: 'ready' });
});
