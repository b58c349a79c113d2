// The payer's page of a subscription: what is due, the history, stopping it and keeping it, in two languages, at a link of its own.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { pay } from '../harness/checkouts.ts';
import { type Service, startService } from '../harness/service.ts';
import { subscriptionCalls } from '../harness/subscriptions.ts';

let service: Service;
let calls: ReturnType<typeof subscriptionCalls>;
before(async () => {
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  calls = subscriptionCalls(service);
});
after(() => service.stop());

type Subscription = { id: string; accountId: string; checkoutUrl: string };

async function subscribe(plan: Record<string, unknown> = {}): Promise<Subscription> {
  const subscription = await calls.subscribe({ description: 'Academia', ...plan });
  await charge();
  return subscription;
}

const pathOf = ({ checkoutUrl }: { checkoutUrl: string }) => new URL(checkoutUrl).pathname;

/** The sweep makes the charges that are due, and their banks make the codes. */
async function charge(): Promise<void> {
  await calls.moveTo(new Date(service.clock.now().getTime() + 60_000).toISOString());
  await service.runJobs();
}

async function opened(path: string, language = 'en'): Promise<{ page: string; text: string }> {
  const answer = await fetch(service.url + path, { headers: { 'accept-language': language } });
  const page = await answer.text();
  assert.equal(answer.status, 200, page);
  const text = page
    .replace(/^[\s\S]*<body/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  return { page, text };
}

function send(path: string): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' };
  return fetch(service.url + path, { method: 'POST', headers, body: '', redirect: 'manual' });
}

test('what is due leads to its checkout; what was paid is in the history with its receipt', async () => {
  const subscription = await subscribe({ day: 18 });
  const first = await opened(pathOf(subscription));
  assert.match(first.text, /Subscription active Academia R\$ 99\.00 a month Next charge: R\$ 99\.00 on 18 Dec 2026/);
  assert.match(first.text, /To pay Period from 18 Nov 2026 Waiting for payment Pay R\$ 99\.00/);
  const [{ chargeId }] = await calls.cyclesOf(subscription.id);
  const { checkoutUrl } = await calls.read(`/charges/${chargeId}`);
  assert.ok(first.page.includes(`href="${pathOf({ checkoutUrl })}?lang=en"`));
  await pay(service, chargeId);
  await service.runJobs();
  const { text } = await opened(pathOf(subscription));
  assert.match(
    text,
    /Nothing to pay now History Was due on 18 Nov 2026 Paid, 16 Nov 2026, \d\d:\d\d R\$ 99\.00 Open the receipt/,
  );
  assert.match(
    (await opened(pathOf(subscription), 'pt-BR')).text,
    /Assinatura ativa Academia R\$ 99,00 por mês Próxima cobrança/,
  );
});

test('the payer stops it at the end of the period, may keep it before that, and cannot do so twice', async () => {
  const subscription = await subscribe({ day: 18 });
  const path = pathOf(subscription);
  const stopped = await send(`${path}/stop`);
  assert.deepEqual([stopped.status, stopped.headers.get('location')], [303, `${path}?lang=en`]);
  await send(`${path}/stop`);
  const { cancelOn, cancelReason, status } = await calls.read(`/subscriptions/${subscription.id}`);
  assert.deepEqual([status, cancelReason], ['active', 'by_payer']);
  assert.match(
    (await opened(path)).text,
    /Ends on 18 Nov 2026\. Nothing is charged after that\. .*Keep the subscription/,
  );
  assert.equal(cancelOn, '2026-11-18');
  await send(`${path}/keep`);
  await charge();
  assert.equal((await calls.read(`/subscriptions/${subscription.id}`)).cancelOn, undefined);
  assert.deepEqual(await calls.eventsOf(subscription.id), [
    '1 created',
    '2 charged',
    '3 updated',
    '4 resumed',
    '5 charged',
  ]);
});

test('a link that was withdrawn opens nothing, and the new one does; a wrong one changes nothing', async () => {
  const subscription = await subscribe();
  const path = pathOf(subscription);
  const withdrawn = await service.post(`/subscriptions/${subscription.id}/checkout/withdraw`, {
    checkoutUrl: subscription.checkoutUrl,
  });
  assert.equal(withdrawn.status, 200, withdrawn.text);
  const repeated = await service.post(`/subscriptions/${subscription.id}/checkout/withdraw`, {
    checkoutUrl: subscription.checkoutUrl,
  });
  assert.equal(repeated.json.detail, 'This link was withdrawn already; the subscription has another one.');
  for (const wrong of [path, '/my', '/my/x', `${path}/logo`]) {
    assert.equal((await fetch(service.url + wrong)).status, 404, wrong);
  }
  assert.equal((await send(`${path}/stop`)).status, 404);
  const other = await subscribe();
  const foreign = { checkoutUrl: other.checkoutUrl };
  const refused = await service.post(`/subscriptions/${subscription.id}/checkout/withdraw`, foreign);
  assert.deepEqual(refused.json.errors, [
    { path: 'checkoutUrl', code: 'not_found', message: 'must be a link of this subscription' },
  ]);
  assert.match((await opened(pathOf(withdrawn.json))).text, /Subscription active/);
  assert.equal((await calls.read(`/subscriptions/${subscription.id}`)).cancelOn, undefined);
});

test('a trial says until when it is free, a paused one ends at once, and one that has ended offers nothing', async () => {
  const subscription = await subscribe({ trialDays: 14 });
  const path = pathOf(subscription);
  assert.match((await opened(path)).text, /Trial Academia R\$ 99\.00 a month Free until \d+ \w+ 2026 Next charge/);
  await service.post(`/subscriptions/${subscription.id}/pause`, {});
  assert.match(
    (await opened(path)).text,
    /Subscription paused .* It ends now, and nothing more is charged\. Yes, cancel it/,
  );
  await send(`${path}/stop`);
  const { text } = await opened(path);
  assert.match(text, /Subscription canceled .* Nothing to pay now/);
  assert.doesNotMatch(text, /Cancel the subscription|Keep the subscription|Next charge/);
  assert.deepEqual([(await send(`${path}/keep`)).status, await calls.statusOf(subscription.id)], [303, 'canceled']);
});
