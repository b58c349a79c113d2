// The dashboard's pages of single objects, and its search.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NOUNS } from '../../../src/nouns.ts';
import { openCharge, pay } from '../../harness/checkouts.ts';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { orderDriver } from '../../harness/orders.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test('the page of a charge has each method with its status, reference and code, or why there is no code', async () => {
  const id = await openCharge(service);
  const { pix, boleto } = (await service.get(`/charges/${id}`)).json;
  const open = await view(service, `/charges/${id}`);
  for (const part of [pix.txid, pix.emv, boleto.digitableLine]) {
    assert.ok(open.includes(part), part);
  }
  assert.match(textOf(open), /Ways to pay .*boleto registered .*pix active /);
  await pay(service, id);
  assert.match(textOf(await view(service, `/charges/${id}`)), /paid by other method/);
  const failed = await openCharge(service, { amountCents: 19_001 });
  const { reason } = (await service.get(`/charges/${failed}`)).json.pix;
  assert.ok(reason.length > 0);
  assert.ok(textOf(await view(service, `/charges/${failed}`)).includes(reason), reason);
});

/** Where the search box leads; undefined when it finds nothing, or several objects. */
async function foundBy(text: string): Promise<string | undefined> {
  const url = `${service.url}/dashboard/search?q=${encodeURIComponent(text)}`;
  const { headers } = await fetch(url, { redirect: 'manual' });
  return headers.get('location')?.replace('/dashboard', '');
}

test('one box finds wallets, webhooks, events and refunds, and a charge by its checkout link, old or new', async () => {
  const id = await openCharge(service);
  await pay(service, id);
  const refund = (await service.post(`/charges/${id}/refunds`, { amountCents: 100 })).json;
  assert.equal(await foundBy(refund.id), `/charges/${id}`);

  const { checkoutUrl } = (await service.get(`/charges/${id}`)).json;
  assert.equal(await foundBy(checkoutUrl), `/charges/${id}`);
  assert.equal((await service.post(`/charges/${id}/checkout/withdraw`, { checkoutUrl })).status, 200);
  assert.equal(await foundBy(checkoutUrl), `/charges/${id}`, 'a payer may write with the old link');
  assert.equal(await foundBy(checkoutUrl.split('/').at(-1)), `/charges/${id}`);

  const wallet = await orderDriver(service).wallet('polygon');
  assert.equal(await foundBy(wallet), `/wallets/${wallet}`);
  const hook = (await service.post('/webhooks', { accountId: 'acme', url: 'http://127.0.0.1:9/hook' })).json.id;
  assert.equal(await foundBy(hook.toUpperCase()), `/webhooks/${hook}`);
  const [event] = await service.sql<{ id: string }>('select id from events where object_id = $1 limit 1', [id]);
  assert.equal(await foundBy(event!.id), `/events/${event!.id}`);
});

test('the box finds charges by a part of the name, the document and the amount of their payer', async () => {
  const customer = { name: 'Joaquina Pereira', document: '12.ABC.345/01DE-35' };
  const id = await openCharge(service, { customer, amountCents: 123_456, accountId: 'searched' });
  for (const text of ['joaquina', 'na Pereira', '12.abc.345/01de-35', '12ABC34501DE35', '1.234,56', 'R$ 1234,56']) {
    assert.equal(await foundBy(text), `/charges/${id}`, text);
  }
  for (const text of ['jo', 'Joaquim', '%', '1.234,57', '52998224724', 'R$', '.,00']) {
    assert.equal(await foundBy(text), undefined, text);
  }
});

test('an event on its page is the JSON of the API, number for number', async () => {
  const id = await openCharge(service, { amountCents: 32_741 });
  const [event] = await service.sql<{ id: string }>('select id from events where object_id = $1 limit 1', [id]);
  const page = await view(service, `/events/${event!.id}`);
  const shown = /<pre[^>]*>([\s\S]*?)<\/pre>/.exec(page)?.[1]?.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  const listed = (await service.get('/events')).json.events.find((one: { id: string }) => one.id === event!.id);
  assert.deepEqual(JSON.parse(shown!.replaceAll('&amp;', '&')), listed);
});

test('a held order accepts the named price once, and refuses one of another amount', async () => {
  const driver = orderDriver(service, 'reprices');
  const order = await driver.order();
  await service.runJobs();
  assert.equal((await driver.pay(order, { amountCents: 50_000 })).status, 200);
  await service.runJobs();
  const held = await driver.read(order);
  assert.equal(held.holdReason, 'underpaid');
  const at = `/orders/${held.transactionId}`;

  const other = (await driver.quote({ cost: 400 })).json;
  const refused = await submit(service, `${at}/reprice`, { quoteId: other.id });
  assert.notEqual(refused.status, 303, 'a price of another amount');
  assert.equal((await driver.read(order)).holdReason, 'underpaid');

  const quote = (await driver.quote({ cost: 500 })).json;
  const taken = await submit(service, `${at}/reprice`, { quoteId: quote.id });
  assert.equal(taken.headers.get('location'), `/dashboard${at}`, textOf(await taken.text()));
  const repriced = await driver.read(order);
  assert.equal(repriced.holdReason, undefined);
  assert.deepEqual([repriced.quote.id, repriced.exact.quantity], [quote.id, quote.exact.quantity]);
});

test('a wrong address is a plain page: a malformed id, a page that does not exist', async () => {
  const objects = ['charges', 'orders', 'payouts', 'wallets', 'webhooks', 'events'].map(kind => `/${kind}/xyz`);
  for (const path of [...objects, '/charges/xyz/cancel', '/wallets/xyz/approve', '/nothing', '/charges/a/b/c']) {
    const answer = await fetch(`${service.url}/dashboard${path}`, { headers: { accept: 'text/html' } });
    assert.equal(answer.status, 404, path);
    assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8', path);
    assert.match(textOf(await answer.text()), /To the dashboard/);
  }
});

test('an address that ends with a slash redirects to the first page; an undecodable one is a plain page', async () => {
  const headers = { accept: 'text/html' };
  const slashed = await fetch(`${service.url}/dashboard/`, { headers, redirect: 'manual' });
  assert.deepEqual([slashed.status, slashed.headers.get('location')], [303, '/dashboard']);
  const broken = await fetch(`${service.url}/dashboard/charges/%E0%A4%A`, { headers });
  assert.deepEqual([broken.status, broken.headers.get('content-type')], [400, 'text/html; charset=utf-8']);
});

test('a key is found, although its id is not a UUID', async () => {
  const answer = await fetch(`${service.url}/dashboard/keys/0123456789ab/revoke`, { headers: { accept: 'text/html' } });
  assert.doesNotMatch(textOf(await answer.text()), /There is nothing with this id/);
});

test('the proof of the ledger checks the rules of every noun', async () => {
  const page = textOf(await view(service, '/ledger/proof'));
  assert.match(page, /The ledger is right/);
  for (const { ledgerChecks = [] } of NOUNS) for (const { name } of ledgerChecks) assert.ok(page.includes(name), name);
  assert.ok(page.includes('what was swept is in cold_wallet'));
});

test('an event leads to the page of its object, and one whose object has no page to none', async () => {
  const id = await openCharge(service);
  assert.match(await view(service, '/events?type=charge.created'), new RegExp(`href="/dashboard/charges/${id}"`));
  assert.equal((await service.post('/sandbox/chains/bsc', { fault: 'empty' })).status, 200);
  assert.equal((await service.post('/sandbox/clock', { advance: 'PT2M' })).status, 200);
  // The first raises it, the second lists its event.
  for (let run = 0; run < 2; run++) await service.runJobs();
  const [alarm] = (await service.get('/payouts/alarms')).json.alarms;
  assert.equal((await service.post('/sandbox/chains/bsc', { fault: 'none' })).status, 200);
  const page = await view(service, '/events?type=payout.alarm_raised');
  assert.ok(page.includes(`title="${alarm.id}"`));
  assert.doesNotMatch(page, new RegExp(`href="[^"]*${alarm.id}"`));
});
