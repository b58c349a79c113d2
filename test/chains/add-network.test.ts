// Adding an EVM network takes one file and its line in the list; the test uses it from order to payout. No migration, no other list.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gnosis } from '../fixtures/gnosis.ts';
import { DEPTH, SENDER, startFundedNode } from '../harness/evm.ts';
import { keystoreSigner } from '../harness/keystore-signer.ts';
import { withLines } from '../harness/with-lines.ts';

const stops: (() => unknown)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

const MAX_STEPS = 30;

test('an order on a network that one file describes is paid and paid out', async () => {
  const { node, usdt, usdc } = await startFundedNode();
  stops.push(() => node.stop());
  const project = withLines(gnosis.id, [
    {
      list: '/src/chains/evm/networks/list.ts',
      after: 'EVM_NETWORKS = [',
      entry: gnosis.id,
      imports: gnosis.id,
      from: new URL('../fixtures/gnosis.ts', import.meta.url).href,
    },
  ]);
  stops.push(() => project.end());
  const { startService } = (await project.load('service.ts')) as typeof import('../harness/service.ts');
  const { orderDriver, ADDRESSES } = (await project.load('orders.ts')) as typeof import('../harness/orders.ts');

  const { openLimits, limitsOf } = (await project.load(
    '../../src/payouts/policy/limits.ts',
  )) as typeof import('../../src/payouts/policy/limits.ts');
  const coin = { symbol: gnosis.coin.symbol, network: gnosis.id } as unknown as Parameters<typeof limitsOf>[1];
  assert.deepEqual(limitsOf(openLimits([], 'live'), coin), {
    perPayout: 1000n * 10n ** 18n,
    perDay: 5000n * 10n ** 18n,
  });

  const service = await startService({
    env: {
      TRILHO_SIGNERS: JSON.stringify([await keystoreSigner(stops)]),
      TRILHO_CHAINS: JSON.stringify([
        {
          network: gnosis.id,
          providers: [{ name: 'node', url: node.url }],
          senders: [{ signer: 'hot' }],
          depth: DEPTH,
          test: { chainId: node.chainId, blockMs: 1, tokens: { usdt: usdt.address, usdc: usdc.address } },
        },
      ]),
    },
  });
  stops.push(() => service.stop());
  const orders = orderDriver(service);

  const token = { accountId: 'acme', name: 'Token', network: gnosis.id, address: gnosis.tokens.usdt.address };
  assert.equal((await service.post('/wallets', token)).json.errors[0].code, 'token_contract');
  const tooLittle = await orders.order({ network: gnosis.id, cost: 0.5 });
  assert.match(tooLittle.text, /0\.1 usdt on gnosis/);
  const elsewhere = await orders.order({ network: gnosis.id, symbol: 'eth' });
  assert.match(elsewhere.text, /must be one that has eth: ethereum, base, arbitrum/);

  const order = await orders.order({ network: gnosis.id });
  assert.equal(order.status, 201, order.text);
  await orders.pay(order);
  let last = order.json;
  for (let step = 0; step < MAX_STEPS && last.status !== 'fulfilled'; step++) {
    await node.mine();
    await orders.advance('PT1M');
    last = await orders.read(order);
  }
  assert.equal(last.status, 'fulfilled', JSON.stringify(last));
  assert.equal(await usdt.balanceOf(ADDRESSES.evm), 100_000_000n);
  assert.equal(await node.rpc('eth_getTransactionCount', [SENDER, 'latest']), '0x1', 'it was sent once');

  const { json } = await service.get('/crypto/transactions?symbol=usdt');
  assert.deepEqual(
    json.transactions.map((one: { network: string }) => one.network),
    [gnosis.id],
  );
  const page = await fetch(`${service.url}/dashboard/payouts?network=gnosis`, { headers: { accept: 'text/html' } });
  assert.equal(page.status, 200);
  assert.match(await page.text(), /gnosis/);
});
