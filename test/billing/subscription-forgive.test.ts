// A cycle that is forgiven is owed no more, whatever became of its charge, and the others stay as they are.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { submit, textOf, view } from '../harness/dashboard.ts';
import { type Service, startService } from '../harness/service.ts';
import { subscriptionCalls } from '../harness/subscriptions.ts';

let service: Service;
let calls: ReturnType<typeof subscriptionCalls>;
before(async () => {
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  calls = subscriptionCalls(service);
});
after(() => service.stop());

const forgive = (id: string, number: number | string) =>
  service.post(`/subscriptions/${id}/cycles/${number}/forgive`, {});
const stateOf = async (chargeId: string) => (await calls.read(`/charges/${chargeId}`)).state;
const pageOf = async ({ checkoutUrl }: { checkoutUrl: string }) =>
  textOf(
    await (await fetch(service.url + new URL(checkoutUrl).pathname, { headers: { 'accept-language': 'en' } })).text(),
  );
/** Some days from now, by the clock of the sandbox. */
async function daysLater(days: number): Promise<void> {
  await calls.moveTo(new Date(Date.parse(await calls.today()) + days * 86_400_000).toISOString());
  await service.runJobs();
}

test('a cycle whose charge has expired is settled: the payer owes nothing, and a repeat changes nothing', async () => {
  const one = await calls.subscribe({ day: undefined, interval: 'quarterly' });
  await daysLater(40);
  const [{ status, chargeId }] = await calls.cyclesOf(one.id);
  assert.deepEqual(
    [status, await stateOf(chargeId), await calls.statusOf(one.id)],
    ['past_due', 'EXPIRED', 'past_due'],
  );
  const owed = await pageOf(one);
  assert.match(
    owed,
    /Nothing to pay now Still owed Period from 16 Nov 2026: R\$ 99\.00 Expired The time to pay it here/,
  );
  assert.doesNotMatch(owed, /Pay R\$/);

  const { status: answered, json } = await forgive(one.id, 1);
  assert.deepEqual([answered, json.number, json.status], [200, 1, 'canceled']);
  assert.equal((await forgive(one.id, 1)).json.status, 'canceled');
  assert.equal(await calls.statusOf(one.id), 'active');
  assert.deepEqual(await calls.eventsOf(one.id), [
    ...['1 created', '2 charged', '3 past_due', '4 forgiven', '5 activated'],
  ]);
  assert.doesNotMatch(await pageOf(one), /Still owed/);
  assert.equal((await calls.pay(chargeId)).status, 200);
  await service.runJobs();
  assert.equal((await calls.cyclesOf(one.id))[0].status, 'paid', 'money that comes all the same counts');
});

test('the charge of a cycle is withdrawn with it, and no other one', async () => {
  const { id } = await calls.subscribe({ day: undefined, interval: 'weekly', pastDue: { action: 'keep' } });
  await daysLater(7);
  const [first, second] = await calls.cyclesOf(id);
  assert.deepEqual([first.status, second.status], ['past_due', 'open']);
  assert.equal((await forgive(id, 1)).status, 200);
  assert.deepEqual([await stateOf(first.chargeId), await stateOf(second.chargeId)], ['CANCELED', 'ACTIVE']);
  assert.equal((await forgive(id, 2)).status, 200);
  assert.equal(await stateOf(second.chargeId), 'CANCELED');
  await daysLater(7);
  const [, , third] = await calls.cyclesOf(id);
  assert.deepEqual([third.status, await calls.statusOf(id)], ['open', 'active'], 'the next one is charged as before');
});

test('one of many that are past due is forgiven, and the subscription stays past due with the others', async () => {
  const { id } = await calls.subscribe({ day: undefined, interval: 'weekly', pastDue: { action: 'keep' } });
  await daysLater(33);
  const statuses = async () => (await calls.cyclesOf(id)).map(({ status }: { status: string }) => status);
  assert.deepEqual((await statuses()).slice(0, 4), ['past_due', 'past_due', 'past_due', 'past_due']);
  assert.equal((await forgive(id, 4)).status, 200);
  assert.deepEqual((await statuses()).slice(0, 4), ['past_due', 'past_due', 'past_due', 'canceled']);
  assert.equal(await calls.statusOf(id), 'past_due');
});

test('a cycle for which no charge could be made is forgiven, and the next one follows', async () => {
  // More than a boleto can carry.
  const terms = { day: undefined, methods: ['boleto'], amountCents: 99_999_999_999, interval: 'quarterly' };
  const { id } = await calls.subscribe(terms);
  await daysLater(5);
  const [refused, ...others] = await calls.cyclesOf(id);
  assert.deepEqual([refused.status, refused.chargeId, others.length], ['past_due', undefined, 0]);
  assert.equal((await forgive(id, 1)).status, 200);
  const [gone, next] = await calls.cyclesOf(id);
  assert.deepEqual([gone.status, next.number, next.status], ['canceled', 2, 'waiting']);
  assert.equal(await calls.statusOf(id), 'active');
  const refusals = /trilho_subscription_cycles_refused (\d+)/.exec((await service.get('/metrics')).text);
  assert.equal(refusals?.[1], '0', 'it needs an operator no more');
});

test('what an ended subscription still owes is forgiven; a last cycle completes its subscription', async () => {
  const ended = await calls.subscribe({ day: undefined });
  const last = await calls.subscribe({ day: undefined, cycles: 1 });
  await daysLater(4);
  assert.equal((await service.post(`/subscriptions/${ended.id}/cancel`, { at: 'now' })).status, 200);
  assert.equal((await calls.cyclesOf(ended.id))[0].status, 'past_due');
  for (const [{ id }, status] of [
    [ended, 'canceled'],
    [last, 'completed'],
  ] as const) {
    assert.equal((await forgive(id, 1)).status, 200);
    assert.deepEqual([(await calls.cyclesOf(id))[0].status, await calls.statusOf(id)], ['canceled', status]);
  }
});

test('a cycle that is paid, or is not charged yet, cannot be forgiven; one that does not exist is not found', async () => {
  const { id } = await calls.subscribe({ day: undefined });
  await daysLater(0.01);
  const [{ chargeId }] = await calls.cyclesOf(id);
  await calls.pay(chargeId);
  await service.runJobs();
  for (const [number, status, code] of [
    [1, 409, 'wrong_state'],
    [2, 409, 'wrong_state'],
    [3, 404, 'not_found'],
    ['x', 404, 'not_found'],
  ] as const) {
    const { status: answered, json } = await forgive(id, number);
    assert.deepEqual([answered, json.code], [status, code], String(number));
  }
  assert.equal((await calls.cyclesOf(id))[0].status, 'paid');
});

test('the dashboard offers it at a cycle that is to be paid', async () => {
  const { id } = await calls.subscribe({ day: undefined });
  await daysLater(0.01);
  const address = `/subscriptions/${id}/cycles/1/forgive`;
  assert.ok((await view(service, `/subscriptions/${id}`)).includes(`href="/dashboard${address}"`));
  assert.match(textOf(await view(service, address)), /Forgive cycle 1\? It is owed no more/);
  const sent = await submit(service, address);
  assert.deepEqual([sent.status, sent.headers.get('location')], [303, `/dashboard/subscriptions/${id}`]);
  assert.equal((await calls.cyclesOf(id))[0].status, 'canceled');
  assert.ok(!(await view(service, `/subscriptions/${id}`)).includes(address));
});
