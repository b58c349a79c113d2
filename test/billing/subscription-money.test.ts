// Money of subscriptions that does not come as planned: payments in part, refunds, and charges that cannot be made.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Service, startService } from '../harness/service.ts';
import { subscriptionCalls } from '../harness/subscriptions.ts';

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
