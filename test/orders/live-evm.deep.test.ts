// An order in live from start to end: settings with a node and a key, an order that is paid, and crypto that arrives on the
// chain once.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { encryptKeystore } from '../../src/chains/signer/keystore.ts';
import { parseUnits } from '../../src/lib/decimals.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { DEPTH, type FundedNode, PRIVATE_KEY, SENDER, startFundedNode } from '../harness/evm.ts';
import { ADDRESSES, CHARGE_PART } from '../harness/orders.ts';
import { ASK_AGAIN_MS, until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

const stops: (() => Promise<unknown>)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

const STEP_MS = 60_000;

/** A folder with the keystore of the sender, as `trilho signer import` writes it. */
async function signersIn(): Promise<readonly object[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'trilho-evm-'));
  stops.push(() => rm(folder, { recursive: true }));
  const [file, passwordFile] = [path.join(folder, 'hot.json'), path.join(folder, 'password')];
  await writeFile(file, await encryptKeystore(PRIVATE_KEY, 'a password of a test'));
  await writeFile(passwordFile, 'a password of a test\n');
  await Promise.all([chmod(file, 0o600), chmod(passwordFile, 0o600)]);
  return [{ name: 'hot', kind: 'keystore', file, passwordFile, address: SENDER }];
}

const chainsOf = ({ node, usdt, usdc }: FundedNode) => [
  {
    network: 'ethereum',
    providers: [{ name: 'node', url: node.url }],
    senders: [{ signer: 'hot' }],
    depth: DEPTH,
    test: { chainId: node.chainId, blockMs: 1, tokens: { usdt: usdt.address, usdc: usdc.address } },
  },
];

async function startLive(chains: readonly object[], signers: readonly object[]): Promise<Service> {
  const service = await startService({
    mode: 'live',
    work: true,
    prices: tablePrices({ reais: { usdt: '5.41', eth: '18732.50' }, rates: {} }),
    env: {
      TRILHO_PIX_KEY: 'pix@example.com',
      TRILHO_PIX_NAME: 'Acme Ltda',
      TRILHO_PIX_CITY: 'Sao Paulo',
      TRILHO_SIGNERS: JSON.stringify(signers),
      TRILHO_CHAINS: JSON.stringify(chains),
    },
  });
  stops.push(() => service.stop());
  return service;
}

async function walletOf(service: Service): Promise<string> {
  const body = { accountId: 'acme', name: 'Treasury', network: 'ethereum', address: ADDRESSES.evm };
  const { status, json, text } = await service.post('/wallets', body);
  assert.equal(status, 201, text);
  return json.id;
}

async function orderAndPay(service: Service, walletId: string, symbol: string, reference: string): Promise<string> {
  const order = await service.post('/crypto/transactions', {
    accountId: 'acme',
    walletId,
    symbol,
    network: 'ethereum',
    currency: 'BRL',
    cost: 541,
    settlementSchedule: 'D0',
    charge: CHARGE_PART,
  });
  assert.equal(order.status, 201, order.text);
  const paid = await service.post(`/charges/${order.json.charge.id}/payments`, {
    amountCents: 54_100,
    reference,
  });
  assert.ok(paid.status < 300, paid.text);
  return order.json.transactionId;
}

/** Mines and moves the clock until the order has the status; jobs and sweeps run by themselves. */
function untilStatus(service: Service, { node }: FundedNode, id: string, status: string) {
  const look = async () => {
    await node.mine();
    service.clock.advanceMs(STEP_MS);
    const { json } = await service.get(`/crypto/transactions/${id}`);
    return json.status === status ? json : undefined;
  };
  return until(`the order is ${status}`, look, ASK_AGAIN_MS);
}

test('paid orders of a token and of the coin arrive on the chain once', async () => {
  const funded = await startFundedNode();
  stops.push(() => funded.node.stop());
  const service = await startLive(chainsOf(funded), await signersIn());
  const wallet = await walletOf(service);
  const token = await orderAndPay(service, wallet, 'usdt', 'E9999999920261116120000000000001');
  await untilStatus(service, funded, token, 'fulfilled');
  assert.equal(await funded.usdt.balanceOf(ADDRESSES.evm), 100_000_000n);
  const coin = await orderAndPay(service, wallet, 'eth', 'E9999999920261116120000000000002');
  const { exact } = await untilStatus(service, funded, coin, 'fulfilled');
  const balance = BigInt(await funded.node.rpc('eth_getBalance', [ADDRESSES.evm, 'latest']));
  assert.equal(balance, parseUnits(exact.quantity, 18));
  const allFinal = async () => {
    await funded.node.mine();
    service.clock.advanceMs(3_600_000);
    const open = await service.sql("select from payouts where state <> 'final'");
    return open.length === 0;
  };
  await until('all payouts are final', allFinal, ASK_AGAIN_MS);
  assert.equal(await funded.node.rpc('eth_getTransactionCount', [SENDER, 'latest']), '0x2', 'nothing else was sent');
});
