// Money of subscriptions that does not come as planned: payments in part, refunds, and charges that cannot be made.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Service, startService } from '../harness/service.ts';
import { planBody, subscriptionCalls } from '../harness/subscriptions.ts';

let service: Service;
let calls: ReturnType<typeof subscriptionCalls>;
before(async () => {
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  calls = subscriptionCalls(service);
});
after(() => service.stop());

const dayAfter = (day: string, days: number) =>
  new Date(Date.parse(`${day.slice(0, 10)}T12:00:00Z`) + days * 86_400_000).toISOString();

/** A subscription whose first cycle has its charge, and begins in three days. */
async function chargedAhead(plan: object = {}) {
  const { subscribe, cyclesOf, moveTo, today } = calls;
  const now = await today();
  const { id } = await subscribe({ day: undefined, ...plan }, { startDay: dayAfter(now, 3).slice(0, 10) });
  await moveTo(new Date(Date.parse(now) + 60_000).toISOString());
  const [{ chargeId, day }] = await cyclesOf(id);
  return { id, chargeId, day };
}

for (const verb of ['pause', 'cancel at the end', 'cancel']) {
  test(`a cycle that was paid in part keeps its charge: ${verb}`, async () => {
    const { cyclesOf, pay, send, read } = calls;
    const { id, chargeId } = await chargedAhead();
    await pay(chargeId, { amountCents: 1_000 });
    await service.runJobs();
    const [path, body] =
      verb === 'pause' ? ['pause', undefined] : ['cancel', verb === 'cancel' ? {} : { at: 'period_end' }];
    assert.equal((await send('POST', `/subscriptions/${id}/${path}`, body)).status, 200);
    await service.runJobs();
    const [cycle] = await cyclesOf(id);
    assert.deepEqual([cycle.status, cycle.chargeId], ['open', chargeId]);
    const { json: rest } = await send('POST', `/charges/${chargeId}/remainder`, {});
    await pay(rest.remainder?.chargeId ?? rest.id);
    await service.runJobs();
    assert.equal((await read(`/charges/${chargeId}`)).state, 'PAID');
    assert.equal((await cyclesOf(id))[0].status, 'paid');
  });
}

test('a refund in two parts is one event', async () => {
  const { cyclesOf, eventsOf, pay } = calls;
  const { id, chargeId } = await chargedAhead();
  await pay(chargeId);
  await service.runJobs();
  for (const amountCents of [4_000, 5_900]) await service.post(`/charges/${chargeId}/refunds`, { amountCents });
  await service.runJobs();
  assert.equal((await cyclesOf(id))[0].status, 'refunded');
  assert.deepEqual(await eventsOf(id), ['1 created', '2 charged', '3 paid', '4 refunded']);
});

test('a cycle that cannot be charged falls due by its day, is shown to the operator, and is canceled with its subscription', async () => {
  const { today, subscribe, moveTo, read, cyclesOf, eventsOf, send } = calls;
  const start = (await today()).slice(0, 10);
  const pastDue = { afterDays: 1, action: 'cancel', actionAfterDays: 4 };
  const plan = { methods: ['boleto'], day: undefined, pastDue };
  const tooMuch = { startDay: start, amountCents: 99_999_999_999 };
  const [lost, mended] = [await subscribe(plan, tooMuch), await subscribe(plan, tooMuch)];
  const refused = async () =>
    /^trilho_subscription_cycles_refused (\d+)$/m.exec((await service.get('/metrics')).text)?.[1];
  await moveTo(dayAfter(start, 1));
  assert.equal(await refused(), '2');
  assert.equal((await read(`/subscriptions/${lost.id}`)).status, 'active');
  const page = await (await fetch(`${service.url}/dashboard`)).text();
  assert.match(page, /Cycles that cannot be charged/);
  assert.ok(page.includes(`/dashboard/subscriptions/${lost.id}`));
  await moveTo(dayAfter(start, 2));
  const late = await read(`/subscriptions/${lost.id}`);
  const [cycle] = await cyclesOf(lost.id);
  assert.deepEqual([late.status, cycle.status, cycle.chargeId], ['past_due', 'past_due', undefined]);
  assert.match(late.nextCycle.reason, /amountCents is more than a boleto can carry/);
  await send('PATCH', `/subscriptions/${mended.id}`, { amountCents: 5_000 });
  await moveTo(dayAfter(start, 3));
  const [made] = await cyclesOf(mended.id);
  const { dueAt } = await read(`/charges/${made.chargeId}`);
  assert.ok(made.status === 'open' && dueAt > dayAfter(start, 2), dueAt);
  assert.equal((await read(`/subscriptions/${mended.id}`)).status, 'active');
  await moveTo(dayAfter(start, 6));
  assert.equal((await read(`/subscriptions/${lost.id}`)).cancelReason, 'unpaid');
  assert.equal((await cyclesOf(lost.id))[0].status, 'canceled');
  assert.deepEqual(await eventsOf(lost.id), ['1 created', '2 charge_failed', '3 past_due', '4 canceled']);
  assert.deepEqual(await eventsOf(mended.id), [
    ...['1 created', '2 charge_failed', '3 past_due', '4 updated', '5 charged', '6 activated', '7 past_due'],
  ]);
  assert.equal(await refused(), '0');
});

test('a plan without a further cycle is refused, unless the request says how many there are', async () => {
  const { made, send, read } = calls;
  const { id } = await chargedAhead();
  const { accountId } = await read(`/subscriptions/${id}`);
  const { id: planId } = await made('/plans', planBody({ accountId, cycles: 1 }));
  const moved = await send('PATCH', `/subscriptions/${id}`, { planId });
  assert.equal(moved.status, 400, moved.text);
  assert.deepEqual(
    moved.json.errors.map(({ path, code }: Record<string, string>) => `${path} ${code}`),
    ['planId too_few_cycles'],
  );
  assert.equal((await read(`/subscriptions/${id}`)).nextCycle.number, 2);
  const ending = await send('PATCH', `/subscriptions/${id}`, { planId, cycles: 1 });
  assert.deepEqual([ending.json.status, ending.json.cycles], ['active', 1]);
  assert.equal((await read(`/subscriptions/${id}`)).nextCycle, undefined);
});
