// What the dashboard shows of one object, and finds by its id.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openCharge, pay } from '../../harness/checkouts.ts';
import { orderDriver } from '../../harness/orders.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** Where the search box leads; undefined when it finds nothing, or several. */
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
