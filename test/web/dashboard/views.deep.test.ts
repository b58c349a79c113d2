// Every view of the dashboard in a real browser: no axe faults, no sideways scroll, in light and dark, on a phone and a desktop.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { chargeBody } from '../../harness/bodies.ts';
import { browserTest, openPage } from '../../harness/browser.ts';
import { DESK, wrongViews } from '../../harness/dashboard-views.ts';
import { type Service, startService } from '../../harness/service.ts';
import { seed, transaction } from '../../harness/transactions.ts';

let service: Service;
let views: string[];
before(async () => {
  service = await startService({ demo: true, env: { TRILHO_WALLET_APPROVAL: 'on' } });
  const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
  const body = chargeBody({ customer, methods: ['pix'], externalId: 'order-1050' });
  const paid = (await service.post('/charges', body)).json;
  const open = (await service.post('/charges', chargeBody({ customer, methods: ['pix'], amountCents: 4_200 }))).json;
  const more = { email: 'maria@example.com', address: { street: 'Rua das Flores', city: 'Recife', state: 'PE' } };
  const maria = (await service.post('/customers', { accountId: 'acme', ...customer, ...more })).json;
  const gone = (await service.post('/customers', { accountId: 'acme', name: 'Ana', document: '111.444.777-35' })).json;
  assert.equal((await service.send(`/customers/${gone.id}/erase`, { method: 'POST' })).status, 200);
  await service.runJobs();
  const payment = { amountCents: 15_990, reference: 'E9999999920261116130000000000001' };
  assert.equal((await service.post(`/charges/${paid.id}/payments`, payment)).status, 201);
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
     values ('E9999999920261116130000000000002', '2026-11-16T11:00:00Z', 4200, 'PIX RECEBIDO MARIA SILVA', now())`,
  );
  const held = transaction({ accountId: 'demo' });
  const large = transaction({ accountId: 'demo' });
  await seed(service, [held, large]);
  await service.sql(`update orders set hold_reason = 'underpaid', held_at = created_at where id = $1`, [held.id]);
  await service.sql(`update orders set hold_reason = 'approval_needed', held_at = created_at where id = $1`, [
    large.id,
  ]);
  const hook = (await service.post('/webhooks', { accountId: 'demo', url: 'http://127.0.0.1:9/hook' })).json;
  await service.post('/charges', chargeBody({ accountId: 'demo', customer, methods: ['pix'] }));
  await service.runJobs();
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const named = { accountId: 'demo', name: 'Treasury', network: 'polygon', address };
  const wallet = (await service.post('/wallets', named)).json;
  await service.post('/payouts/pause', { network: 'tron', reason: 'key rotation' });
  const rule = (await service.post('/reminders/rules', { accountId: 'acme', when: 'on', channels: ['email'] })).json;
  await service.sql(
    `insert into reminders (id, account_id, charge_id, occasion, days, due_day, reason, channels, status, cause, due_at, created_at, updated_at)
     values (gen_random_uuid(), 'acme', $1, 'on', 0, '2026-12-10', 'on:2026-12-10', '{email}', 'SKIPPED', 'mail_off', now(), now(), now())`,
    [open.id],
  );
  const [event] = await service.sql<{ id: string }>('select id from events limit 1');
  const dispute = await disputed(customer);
  views = [
    '',
    '/charges',
    `/charges/${paid.id}`,
    `/charges/${open.id}/cancel`,
    `/charges/${open.id}/withdraw`,
    `/charges/${paid.id}/refund`,
    '/charges/new',
    `/charges/new?customerId=${maria.id}`,
    '/disputes',
    `/disputes/${dispute}`,
    `/disputes/${dispute}/close`,
    `/disputes/${dispute}/change`,
    `/disputes/${dispute}/evidence`,
    `/disputes/${dispute}/upload`,
    `/charges/${open.id}`,
    '/reminders',
    '/reminders/rules',
    '/reminders/rules/new',
    `/reminders/rules/${rule.id}/change`,
    `/reminders/rules/${rule.id}/remove`,
    '/accounts/acme/reminders',
    '/accounts/acme/reminders/hours',
    '/accounts/acme/reminders/text?when=on&locale=en',
    '/customers',
    '/customers/new',
    `/customers/${maria.id}`,
    `/customers/${maria.id}/change`,
    `/customers/${maria.id}/erase`,
    `/customers/${gone.id}`,
    '/orders',
    '/orders?show=held',
    `/orders/${held.id}`,
    `/orders/${large.id}/approve`,
    '/orders/new',
    '/orders/quote',
    `/orders/${held.id}/charge`,
    '/payouts',
    '/payouts/pause',
    '/payouts/resume',
    '/payouts/sweep',
    '/payouts/senders/resume',
    '/payouts/senders/fill-gap',
    '/wallets',
    '/wallets/new',
    `/wallets/${wallet.id}`,
    `/wallets/${wallet.id}/approve`,
    `/wallets/${wallet.id}/declare`,
    '/unmatched',
    '/statements',
    '/statements/upload',
    '/webhooks',
    `/webhooks/${hook.id}`,
    '/webhooks/new',
    `/webhooks/${hook.id}/change`,
    '/events',
    `/events/${event?.id}`,
    '/ledger',
    '/ledger/proof',
    '/audit',
    '/audit/proof',
    '/accounts',
    '/accounts/new',
    '/accounts/demo/settings',
    '/keys',
    '/keys/new',
    '/people',
    '/people/invite',
    '/health',
    '/search?q=nothing',
  ];
});
after(() => service.stop());

/** An open one with evidence. */
async function disputed(customer: object): Promise<string> {
  const { id } = (await service.post('/charges', chargeBody({ customer, methods: ['pix'] }))).json;
  await service.runJobs();
  await service.post(`/sandbox/charges/${id}/pay`, { method: 'pix' });
  const { refunds } = (await service.post(`/sandbox/charges/${id}/return`, { cause: 'fraud' })).json;
  const { disputeId } = refunds[0];
  const headers = { 'content-type': 'text/plain' };
  const sent = { method: 'POST', body: 'Signed by the customer.', headers };
  assert.equal((await service.send(`/disputes/${disputeId}/evidence`, sent)).status, 201);
  return disputeId;
}

browserTest('every view looks right on a desktop and on a phone, in light and dark', async t => {
  const { page, faults, close } = await openPage({ viewport: DESK });
  t.after(close);
  assert.deepEqual(await wrongViews(page, service.url, views), []);
  assert.deepEqual(faults, []);
});
