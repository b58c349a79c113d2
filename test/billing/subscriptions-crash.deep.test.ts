// A subscription, killed or cut off after each step of its life, and taken up again by two nodes at once: each cycle has exactly one charge.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { type ChargeNode, type ChargeVerb, type ChargeVictim, openChargeNode } from '../harness/charge-verbs.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import type { ChargeCrash } from '../harness/crash-at-step.ts';
import { bankRecords, fileBank } from '../harness/file-bank.ts';
import { ADDRESSES } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';
import { cutOffAfter, UNCUT } from '../harness/steps.ts';
import { planBody, subscriptionCalls } from '../harness/subscriptions.ts';

const NOW = '2026-11-16T12:00:00.000Z';
/** The second cycle of each subscription is charged by then. */
const NEXT = '2026-12-14T12:00:00.000Z';

let folder: string;
let bankFile: string;
let service: Service;
let calls: ReturnType<typeof subscriptionCalls>;
let nodes: ChargeNode[];
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-subscriptions-'));
  bankFile = path.join(folder, 'bank');
  await writeFile(bankFile, '');
  service = await startService({ now: NOW, rails: fileBank(bankFile) });
  calls = subscriptionCalls(service);
  nodes = [await openChargeNode(service.databaseUrl), await openChargeNode(service.databaseUrl)];
});
after(async () => {
  await Promise.all(nodes.map(node => node.close()));
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

let count = 0;
/** What a subscription needs, under an externalId of its own. */
async function prepared(): Promise<ChargeVictim> {
  const externalId = `crash-${++count}`;
  const { id: planId } = await calls.made('/plans', planBody({ accountId: 'acme', day: 16, externalId }));
  const { id: customerId } = await calls.newCustomer('acme', { separate: true });
  return { chargeId: '', planId, customerId, externalId };
}

async function subscribed(): Promise<ChargeVictim> {
  const victim = await prepared();
  const { planId, customerId, externalId } = victim;
  const { id } = await calls.made('/subscriptions', { accountId: 'acme', planId, customerId, externalId });
  return { ...victim, subscriptionId: id };
}

/** One that buys crypto, with a wallet. */
async function buying(): Promise<ChargeVictim> {
  const externalId = `crash-${++count}`;
  const wallet = { accountId: 'acme', name: 'Treasury', network: 'polygon', address: ADDRESSES.evm };
  const { id: walletId } = (await service.post('/wallets', wallet)).json;
  const crypto = { symbol: 'usdt', network: 'polygon', settlementSchedule: 'D2' };
  const plan = planBody({ accountId: 'acme', day: 16, externalId, amountCents: 54_100, crypto });
  const { id: planId } = await calls.made('/plans', plan);
  const { id: customerId } = await calls.newCustomer('acme', { separate: true });
  const { id } = await calls.made('/subscriptions', { accountId: 'acme', planId, customerId, externalId, walletId });
  return { chargeId: '', planId, customerId, externalId, subscriptionId: id };
}

const sweep = (now = NOW) => atBoth('charge cycles', { chargeId: '' }, now);

/** Both nodes do it at the same time. */
async function atBoth(verb: ChargeVerb, victim: ChargeVictim, now: string): Promise<void> {
  await Promise.all(nodes.map(node => node.run(verb, victim, { bankFile, now, steps: UNCUT })));
}

async function charged(subscribe = subscribed): Promise<ChargeVictim> {
  const victim = await subscribe();
  await sweep();
  const [cycle] = await calls.cyclesOf(victim.subscriptionId!);
  return { ...victim, chargeId: cycle.chargeId };
}

/** Ends a verb after each of its steps, each time for another subscription; both nodes then go on from there. */
async function endEverywhere(
  verb: ChargeVerb,
  prepare: () => Promise<ChargeVictim>,
  now = NOW,
): Promise<ChargeVictim[]> {
  const { databaseUrl } = service;
  const [node] = nodes;
  return crashEverywhere({
    prepare: async () => [await prepare()],
    crash: async (victim, step) => {
      const wasCut = await cutOffAfter(step, steps => node!.run(verb, victim, { bankFile, now, steps }));
      await atBoth(verb, victim, now);
      return wasCut;
    },
    kill: async (victim, step) => {
      const order: ChargeCrash = { databaseUrl, now, verb, step, bankFile, victim };
      const wasKilled = await crashAt('./crash-at-step.ts', order);
      await atBoth(verb, victim, now);
      return wasKilled;
    },
  });
}

/** The charges of each cycle that are not withdrawn. */
async function chargesOf({ subscriptionId }: ChargeVictim): Promise<string[]> {
  const rows = await service.sql<{ cycle: string }>(
    `select cycle_number || ' ' || state as cycle from charges where subscription_id = $1 order by cycle_number, id`,
    [subscriptionId],
  );
  return rows.map(({ cycle }) => cycle);
}

const eventsOf = async (victim: ChargeVictim) =>
  (await calls.eventsOf(victim.subscriptionId!)).map(event => event.split(' ')[1]);

test('subscribing', async () => {
  const victims = await endEverywhere('subscribe', prepared);
  const { subscriptions, total } = await calls.read('/subscriptions?accountId=acme&pageSize=100');
  assert.equal(total, victims.length);
  await sweep();
  for (const { id } of subscriptions) {
    assert.deepEqual(await chargesOf({ chargeId: '', subscriptionId: id }), ['1 CREATING']);
    assert.deepEqual(await eventsOf({ chargeId: '', subscriptionId: id }), ['created', 'charged']);
  }
});

test('charging a cycle', async () => {
  const victims = await endEverywhere('charge cycles', subscribed);
  await service.runJobs();
  for (const victim of victims) {
    assert.deepEqual(await chargesOf(victim), ['1 ACTIVE']);
    assert.deepEqual(await eventsOf(victim), ['created', 'charged']);
    const [{ chargeId }] = await calls.cyclesOf(victim.subscriptionId!);
    assert.equal(bankRecords(bankFile).filter(record => record === `submit pix ${chargeId}`).length, 1);
  }
});

test('a payment that reaches its cycle, and the cycle after it', async () => {
  const victims = await endEverywhere('follow subscription', async () => {
    const victim = await charged();
    await calls.pay(victim.chargeId);
    return victim;
  });
  for (let times = 0; times < 2; times++) await sweep(NEXT);
  await service.runJobs();
  for (const victim of victims) {
    assert.deepEqual(await chargesOf(victim), ['1 PAID', '2 ACTIVE']);
    assert.deepEqual(await eventsOf(victim), ['created', 'charged', 'paid', 'charged']);
  }
});

test('a payment that buys crypto: the cycle has one order, and its charge no other', async () => {
  const victims = await endEverywhere('follow subscription', async () => {
    const victim = await charged(buying);
    await calls.pay(victim.chargeId);
    return victim;
  });
  await service.runJobs();
  for (const { subscriptionId, chargeId } of victims) {
    const orders = await service.sql<{ id: string; status: string }>(
      'select id, status from orders where charge_id = $1',
      [chargeId],
    );
    const [cycle] = await calls.cyclesOf(subscriptionId!);
    assert.deepEqual(orders, [{ id: cycle.orderId, status: 'fulfillment_scheduled' }]);
    assert.equal((await calls.read(`/charges/${chargeId}`)).transactionId, cycle.orderId);
    assert.deepEqual(await calls.eventsOf(subscriptionId!), ['1 created', '2 charged', '3 paid', '4 ordered']);
  }
});

for (const [verb, status] of [
  ['pause subscription', 'waiting'],
  ['cancel subscription', 'canceled'],
] as const) {
  test(`${verb}: what was charged ahead is withdrawn once`, async () => {
    const victims = await endEverywhere(verb, async () => {
      const victim = await charged();
      await calls.pay(victim.chargeId);
      await service.runJobs();
      await sweep(NEXT);
      return victim;
    });
    await service.runJobs();
    for (const victim of victims) {
      assert.deepEqual(await chargesOf(victim), ['1 PAID', '2 CANCELED']);
      const [, second] = await calls.cyclesOf(victim.subscriptionId!);
      assert.equal(second.status, status);
      const done = verb === 'pause subscription' ? 'paused' : 'canceled';
      assert.deepEqual(await eventsOf(victim), ['created', 'charged', 'paid', 'charged', done]);
    }
  });
}
