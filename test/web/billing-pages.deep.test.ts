// The pages of instalments, plans, subscriptions, mandates and collections, of the dashboard and of payers, in a real browser: no axe
// faults and no sideways scroll, in light and dark; those of payers in Portuguese and English.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { browserTest, openPage } from '../harness/browser.ts';
import { assertGoodViews } from '../harness/checkout-views.ts';
import { pay } from '../harness/checkouts.ts';
import { DESK, wrongViews } from '../harness/dashboard-views.ts';
import { startMandatesAtPsp } from '../harness/mandates-at-psp.ts';
import { logIn } from '../harness/people.ts';
import { type Service, startService } from '../harness/service.ts';
import { planBody, subscriptionCalls } from '../harness/subscriptions.ts';

let service: Service;
let calls: ReturnType<typeof subscriptionCalls>;
before(async () => {
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  calls = subscriptionCalls(service);
});
after(() => service.stop());

const MARIA = { name: 'Maria da Silva', document: '52998224725' };

const later = async (days: number) =>
  new Date(Date.parse(await calls.today()) + days * 86_400_000 + 60_000).toISOString();
const dayIn = async (days: number) => (await later(days)).slice(0, 10);

async function newInstalments(): Promise<{ id: string; checkoutUrl: string; charges: { id: string }[] }> {
  return calls.made('/instalments', {
    ...{ accountId: 'acme', description: 'Curso de inglês', amountCents: 100_000, currency: 'BRL', count: 3 },
    ...{ firstDueDay: await dayIn(2), methods: ['boleto', 'pix'], customer: MARIA },
  });
}

const atService = (url: string) => service.url + new URL(url).pathname;

/** The sweep charges the cycles that are due, and their banks make the codes. */
async function moveDays(days: number): Promise<void> {
  await calls.moveTo(await later(days));
  await service.runJobs();
}

browserTest('the dashboard of instalments, plans and subscriptions looks right', async t => {
  const { id: instalments, charges } = await newInstalments();
  await service.runJobs();
  await pay(service, charges[0]!.id);
  const plan = planBody({ accountId: 'acme', externalId: 'gold', day: undefined, trialDays: 7 });
  const { id: planId } = await calls.made('/plans', plan);
  const { id: customerId } = await calls.newCustomer('acme');
  const more = { startDay: await dayIn(2), trialDays: 0 };
  const { id: subscription } = await calls.made('/subscriptions', { accountId: 'acme', planId, customerId, ...more });
  const { id: paused } = await calls.made('/subscriptions', { accountId: 'acme', planId, customerId });
  assert.equal((await service.post(`/subscriptions/${paused}/pause`, {})).status, 200);
  await moveDays(8);
  assert.equal(await calls.statusOf(subscription), 'past_due');
  const { page, faults, close } = await openPage({ viewport: DESK });
  t.after(close);
  const views = [
    ...['', '/instalments', '/instalments/new', `/instalments/new?customerId=${customerId}`],
    ...['', '/cancel', '/refund', '/withdraw'].map(act => `/instalments/${instalments}${act}`),
    ...['/plans', '/plans/new', `/plans/${planId}/change`, '/subscriptions', '/subscriptions/new'],
    ...['', '/change', '/pause', '/cancel', '/withdraw'].map(act => `/subscriptions/${subscription}${act}`),
    ...['', '/resume'].map(act => `/subscriptions/${paused}${act}`),
    ...['/mandates', `/mandates/new?customerId=${customerId}`, `/customers/${customerId}`],
  ];
  assert.deepEqual(await wrongViews(page, service.url, views), []);
  assert.deepEqual(faults, []);
});

browserTest('the dashboard of mandates and collections looks right', async t => {
  const at = await startMandatesAtPsp();
  t.after(() => at.stop());
  const { id, chargeId, collectionId } = await at.collected();
  const asked = await at.started({ externalId: 'asked' });
  const { cookie } = await logIn(at.service, 'operator', 'acme');
  const { page, faults, close } = await openPage({ viewport: DESK, extraHTTPHeaders: { cookie } });
  t.after(close);
  const views = [
    ...['/mandates', `/mandates/${asked}`, `/charges/${chargeId}`, `/collections/${collectionId}/cancel`],
    ...['', '/cancel', '/collect'].map(act => `/mandates/${id}${act}`),
  ];
  assert.deepEqual(await wrongViews(page, at.service.url, views), []);
  assert.deepEqual(faults, []);
});

browserTest('the checkout of instalments is accessible: open, late, paid and canceled', async () => {
  const plan = await newInstalments();
  await service.runJobs();
  const url = atService(plan.checkoutUrl);
  await assertGoodViews(url, 'instalments open');
  await moveDays(10);
  await assertGoodViews(url, 'instalments late');
  for (const { id } of plan.charges) await pay(service, id);
  await service.runJobs();
  await assertGoodViews(url, 'instalments paid');
  const other = await newInstalments();
  assert.equal((await service.post(`/instalments/${other.id}/cancel`, {})).status, 200);
  await assertGoodViews(atService(other.checkoutUrl), 'instalments canceled');
});

browserTest('the page of a payer’s subscription is accessible in every state', async () => {
  const trialing = await calls.subscribe({ description: 'Academia', trialDays: 30 });
  await assertGoodViews(atService(trialing.checkoutUrl), 'subscription trialing');
  const { id, checkoutUrl } = await calls.subscribe({ description: 'Academia', interval: 'weekly', day: 3 });
  const url = atService(checkoutUrl);
  await moveDays(5);
  await assertGoodViews(url, 'subscription due');
  const [{ chargeId }] = await calls.cyclesOf(id);
  await pay(service, chargeId);
  await service.runJobs();
  await assertGoodViews(url, 'subscription paid');
  await moveDays(14);
  assert.equal(await calls.statusOf(id), 'past_due');
  await assertGoodViews(url, 'subscription late');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  assert.equal((await fetch(`${url}/stop`, { method: 'POST', headers, redirect: 'manual' })).status, 303);
  await assertGoodViews(url, 'subscription to be stopped');
  const stopped = await calls.subscribe({ description: 'Academia' });
  assert.equal((await service.post(`/subscriptions/${stopped.id}/cancel`, { at: 'now' })).status, 200);
  await assertGoodViews(atService(stopped.checkoutUrl), 'subscription stopped');
});
