// Orders on Tron through the front door, paid out on a simulated network that applies java-tron's rules: with any fault on the
// way, the units arrive once.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openTronChain } from '../../src/chains/tron/tron-chain.ts';
import { startTronNode, type TronNode } from '../../src/sandbox/tron-node/start.ts';
import { type TestClock, testClock } from '../harness/clock.ts';
import { ADDRESSES, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { SENDER, SIGNER, SLOT_MS, USDT } from '../harness/tron.ts';

const START = '2026-11-16T12:00:00.000Z';
/** 541 reais at 5.41. */
const UNITS = 100_000_000n;

let service: Service | undefined;
let node: TronNode | undefined;
let clock: TestClock;
afterEach(async () => {
  await service?.stop();
  await node?.stop();
  service = undefined;
});

async function start(): Promise<{ service: Service; node: TronNode }> {
  clock = testClock(START);
  const network = await startTronNode({ clock, endpoints: 2 });
  node = network;
  network.setBalance(SENDER, 1_000_000_000n);
  network.setToken(USDT, { balances: { [SENDER]: 1_000_000_000n } });
  service = await startService({ now: START, chains: { tron: await openChain(network) } });
  return { service, node: network };
}

async function openChain({ endpoints }: TronNode) {
  const providers = endpoints.map(({ url }, index) => ({ name: `node-${index + 1}`, url }));
  const { chain, start } = await openTronChain(
    { providers, senders: [{ address: SENDER, signer: SIGNER }] },
    { clock },
  );
  assert.deepEqual(start.faults, []);
  return chain;
}

async function paidOrder(at: Service): Promise<Answer> {
  const orders = orderDriver(at);
  const order = await orders.order({ network: 'tron' });
  assert.equal(order.status, 201, order.text);
  await at.runJobs();
  await orders.pay(order);
  await at.runJobs();
  return order;
}

const MAX_ROUNDS = 90;

/** Time passes for the network first, then for the service, which runs due work. */
async function passBlocks(at: Service, count: number): Promise<void> {
  clock.advanceMs(count * SLOT_MS);
  await orderDriver(at).advance(`PT${(count * SLOT_MS) / 1000}S`);
}

/** Mines blocks and runs jobs until the order has the status. */
async function until(at: Service, order: Answer, status: string, state?: string): Promise<void> {
  const orders = orderDriver(at);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await orders.read(order);
    if (found.status === status && (state === undefined || found.transfer?.state === state)) return;
    await passBlocks(at, 20);
  }
  assert.fail(`the order is not ${status} after ${MAX_ROUNDS} rounds: ${JSON.stringify(await orders.read(order))}`);
}

function assertPaidOnce(network: TronNode): void {
  const moved = network.transfers().map(({ from, to, units, token }) => ({ from, to, units, token }));
  assert.deepEqual(moved, [{ from: SENDER, to: ADDRESSES.tron, units: UNITS, token: USDT }]);
}

const attemptCount = async (at: Service) =>
  (await at.sql<{ count: string }>('select count(*) as count from payout_attempts'))[0]?.count;

test('a paid order is fulfilled when its transfer is solidified, and final', async () => {
  const { service, node } = await start();
  const order = await paidOrder(service);
  await until(service, order, 'fulfilled', 'final');
  assertPaidOnce(node);
  assert.ok(node.transfers()[0]?.isSolid);
  assert.equal((await orderDriver(service).read(order)).transfer.hash, node.transfers()[0]?.id);
});

test('an attempt that every node lost expires, and another one pays once', async () => {
  const { service, node } = await start();
  for (const endpoint of node.endpoints) endpoint.setFault({ kind: 'dropping', on: 'wallet/broadcast' });
  const order = await paidOrder(service);
  await until(service, order, 'fulfilling');
  for (const endpoint of node.endpoints) endpoint.clearFaults();
  await until(service, order, 'fulfilled', 'final');
  assert.equal(await attemptCount(service), '2');
  assertPaidOnce(node);
});

test('broadcasts whose replies are lost pay once', async () => {
  const { service, node } = await start();
  for (const endpoint of node.endpoints) endpoint.setFault({ kind: 'lost_reply', on: 'wallet/broadcast' });
  const order = await paidOrder(service);
  await until(service, order, 'fulfilled', 'final');
  assert.equal(await attemptCount(service), '1');
  assertPaidOnce(node);
});

test('a fork before the transfer is solidified pays once', async () => {
  const { service, node } = await start();
  const order = await paidOrder(service);
  await until(service, order, 'fulfilling');
  await passBlocks(service, 5);
  assert.equal(node.transfers().length, 1);
  node.fork(10, 'forgotten');
  assert.equal(node.transfers().length, 0);
  await until(service, order, 'fulfilled', 'final');
  assertPaidOnce(node);
});

test('when a service stops between saving and sending, another one sends the same bytes', async () => {
  const { service: first, node } = await start();
  for (const endpoint of node.endpoints) endpoint.setFault({ kind: 'cut', on: 'wallet/broadcast' });
  const order = await paidOrder(first);
  assert.equal(await attemptCount(first), '1');
  assert.deepEqual(node.transfers(), []);
  for (const endpoint of node.endpoints) endpoint.clearFaults();
  // Its own chain object: it has only what is saved.
  const second = await startService({ beside: first, chains: { tron: await openChain(node) } });
  await until(second, order, 'fulfilled', 'final');
  assert.equal(await attemptCount(first), '1');
  assertPaidOnce(node);
  await second.stop();
});

test('a token that keeps a share leaves once, and the order is not fulfilled', async () => {
  const { service, node } = await start();
  node.setToken(USDT, { behaviour: 'keeping' });
  const order = await paidOrder(service);
  for (let round = 0; round < 20; round++) {
    await passBlocks(service, 4);
  }
  assert.equal((await orderDriver(service).read(order)).status, 'fulfilling');
  assert.equal(node.tokenBalance(USDT, ADDRESSES.tron), (UNITS * 99n) / 100n);
});
