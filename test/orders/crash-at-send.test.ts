// Sending the crypto of an order, cut off after each step and resumed: it moves exactly once on the chain. Every other verb,
// and real kills: crash.deep.test.ts.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { addressOf } from '../../src/chains/address.ts';
import type { Network } from '../../src/chains/asset.ts';
import { countTransfers } from '../harness/count-transfers.ts';
import { crashEverywhere } from '../harness/crash.ts';
import { differences } from '../harness/order-proof.ts';
import { ORDER_VERBS, type OrderNode, type OrderVerb, openOrderNode, type Victim } from '../harness/order-verbs.ts';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';
import { cutOffAfter } from '../harness/steps.ts';

const START = '2026-11-16T12:00:00.000Z';
const LATER = '2026-11-16T12:10:00.000Z';

let service: Service;
let orders: OrderDriver;
/** Runs verbs without a service. */
let node: OrderNode;
before(async () => {
  service = await startService({ now: START });
  orders = orderDriver(service);
  node = await openOrderNode(service.databaseUrl, START);
});
after(async () => {
  await node.close();
  await service.stop();
});

/** An order with its own wallet, so that the chain shows what it was paid. */
type Made = Victim & { readonly address: string };

/** An order that waits in line. */
async function due(network: Network, symbol: string): Promise<Made> {
  const address = addressOf('evm', randomBytes(20));
  const wallet = await service.post('/wallets', { accountId: 'acme', name: address, network, address });
  const order = await orders.order({ walletId: wallet.json.id, network, symbol });
  assert.equal(order.status, 201, order.text);
  assert.equal((await orders.pay(order)).status, 200);
  const victim = { transactionId: order.json.transactionId, chargeId: order.json.charge.id, address };
  await ORDER_VERBS.follow(node.deps, victim);
  return victim;
}

function cutOffEverywhere(verb: OrderVerb, prepare: () => Promise<Made>): Promise<Made[]> {
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: (victim, step) =>
      cutOffAfter(step, async steps => ORDER_VERBS[verb](await node.depsAt(START, steps), victim)),
  });
}

/** How many transfers reached each order's wallet. */
async function transfersTo(victims: readonly Made[], network: Network, symbol: string): Promise<number[]> {
  const { perDestination } = await countTransfers({ db: node.db, clock: node.deps.clock }, network);
  return victims.map(({ address }) => perDestination.get(`${symbol} ${address}`) ?? 0);
}

test('after a cut at any step — claimed, signed, saved, sent — the crypto is sent once', async () => {
  let last: Made | undefined;
  const victims = await cutOffEverywhere('claim', async () => {
    // Another node serves the line, so that it has one order each time.
    if (last) await ORDER_VERBS.claim(node.deps, last);
    last = await due('polygon', 'usdt');
    return last;
  });
  await orders.advance('PT10M');
  node.deps.clock.set(LATER);
  for (const { transactionId } of victims) {
    assert.equal(await orders.events(transactionId), 'pending_payment pending_fulfillment fulfilling fulfilled');
  }
  assert.deepEqual([...new Set(await transfersTo(victims, 'polygon', 'usdt'))], [1]);
  assert.deepEqual(await differences(node.db), []);
});

// The last test of the file, because its orders stay in a bad state.
test('an order that is sent first and saved afterwards is paid twice, so this file can fail', async () => {
  const victims = await cutOffEverywhere('send then save', async () => {
    const victim = await due('base', 'usdc');
    await ORDER_VERBS.open(node.deps, victim);
    return victim;
  });
  for (const victim of victims) await ORDER_VERBS['send then save'](node.deps, victim);
  node.deps.clock.advanceMs(60_000);
  const counts = await transfersTo(victims, 'base', 'usdc');
  assert.ok(counts.includes(2), counts.join(' '));
});
