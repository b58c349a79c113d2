// Every operation of the API that changes something can be done on the dashboard: each form is sent once, and its requests are counted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../../harness/bodies.ts';
import { openCharge, pathOf, pay } from '../../harness/checkouts.ts';
import { sendForm, submit, textOf, view } from '../../harness/dashboard.ts';
import { readOpenApi } from '../../harness/openapi.ts';
import { SAME_ORIGIN } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
/** Their forms send only what was changed, so they read the object first. */
const changed: Record<string, string> = {};
before(async () => {
  service = await startService();
  const make = async (path: string, body: object) =>
    (changed[`/dashboard${path}/:id/change`] = (await service.post(path, { accountId: 'acme', ...body })).json.id);
  const customerId = await make('/customers', { name: 'Maria da Silva', document: '529.982.247-25' });
  const planId = await make('/plans', { name: 'Gold', amountCents: 9_900, interval: 'monthly', methods: ['pix'] });
  await make('/subscriptions', { planId, customerId });
});
after(() => service.stop());

const ID = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';

function send(path: string, body: URLSearchParams | FormData): Promise<Response> {
  const url = `${service.url}${path.replaceAll(/:\w+/g, changed[path] ?? ID)}`;
  return fetch(url, { method: 'POST', body, headers: { ...SAME_ORIGIN, accept: 'text/html' }, redirect: 'manual' });
}

/** The requests to the service until now, such as `POST /charges/:id/cancel`, also from inside the process. */
async function asked(): Promise<Set<string>> {
  const { text } = await service.get('/metrics');
  const labels = text.matchAll(/^trilho_http_requests_total\{([^}]*)\}/gm);
  return new Set(
    [...labels].map(([, all = '']) => {
      const of = Object.fromEntries([...all.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
      return `${of['method']} ${of['route']}`;
    }),
  );
}

test('every operation of the API that changes something has a form, and every form a confirmation', async () => {
  const { document } = await readOpenApi(service);
  const operations = Object.entries(document.paths)
    .filter(([path]) => !path.startsWith('/sandbox/'))
    .flatMap(([path, methods]) => Object.keys(methods).map(method => [method.toUpperCase(), path] as const))
    .filter(([method]) => method !== 'GET')
    .map(([method, path]) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
  assert.ok(operations.length > 30);
  const questions = new Set(service.routes.filter(({ method }) => method === 'GET').map(({ url }) => url));
  const forms = service.routes.filter(
    ({ method, url, access }) =>
      method === 'POST' && url.startsWith('/dashboard/') && access !== 'public' && access !== 'session',
  );
  for (const { url } of forms) {
    assert.ok(questions.has(url), `${url} asks first`);
    await send(url, new URLSearchParams());
  }
  // The name of a file decides which of two operations reads it.
  const file = new FormData();
  file.set('file', new File(['x'], 'bank.ret'));
  await send('/dashboard/statements/upload', file);
  const done = await asked();
  assert.deepEqual(
    operations.filter(operation => !done.has(operation)),
    [],
  );
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('an account is opened, and its appearance for payers is set, changed and cleared', async () => {
  assert.equal((await submit(service, '/accounts/new', { id: 'shop' })).headers.get('location'), '/dashboard/accounts');
  assert.match(textOf(await view(service, '/accounts')), /shop .* Checkout settings/);
  const at = '/accounts/shop/settings';
  const fields = {
    displayName: 'Padaria Central',
    document: '11.222.333/0001-81',
    colour: '#7A1FA2',
    returnUrl: 'https://shop.example.com/thanks',
    supportUrl: 'mailto:ajuda@example.com',
    frameOrigins: 'https://shop.example.com, https://www.shop.example.com',
    logo: new File([Buffer.from(PIXEL, 'base64')], 'logo.png'),
  };
  const changed = await submit(service, at, fields);
  assert.equal(changed.status, 303, await changed.text());
  const { json } = await service.get('/accounts/shop/settings');
  assert.deepEqual(json, {
    accountId: 'shop',
    displayName: 'Padaria Central',
    document: '11222333000181',
    colour: '#7a1fa2',
    returnUrl: 'https://shop.example.com/thanks',
    supportUrl: 'mailto:ajuda@example.com',
    frameOrigins: ['https://shop.example.com', 'https://www.shop.example.com'],
    hasLogo: true,
    offersRemainder: false,
  });
  const form = await view(service, at);
  for (const value of ['Padaria Central', '#7a1fa2', 'https://shop.example.com https://www.shop.example.com']) {
    assert.ok(form.includes(`value="${value}"`), value);
  }
  // A fault is named by its label, and nothing is written.
  const { logo: _, ...texts } = fields;
  for (const [field, value, said] of [
    ['colour', '#eeeeee', /Colour of buttons must have a contrast to white/],
    ['document', '123', /CPF or CNPJ must be a CPF or CNPJ/],
    ['returnUrl', 'javascript:alert(1)', /Link back to the shop must be a URL/],
    ['frameOrigins', 'https://a.example *', /Origins that may show the checkout in a frame must be an origin/],
    ['logo', new File(['<svg onload="alert(1)"/>'], 'logo.svg'), /New logo must be a PNG, JPEG or WebP/],
  ] as const) {
    const refused = await submit(service, at, { ...texts, [field]: value });
    assert.equal(refused.status, 400, field);
    assert.match(textOf(await refused.text()), said);
  }
  assert.deepEqual((await service.get('/accounts/shop/settings')).json, json);
  assert.equal((await submit(service, at, { ...texts, supportUrl: '', frameOrigins: '' })).status, 303);
  const { supportUrl: __, ...rest } = json;
  assert.deepEqual(
    (await service.get('/accounts/shop/settings')).json,
    { ...rest, frameOrigins: [] },
    'the logo stays',
  );
  assert.equal((await submit(service, at, { removeLogo: 'true' })).status, 303);
  const none = { accountId: 'shop', frameOrigins: [], hasLogo: false, offersRemainder: false };
  assert.deepEqual((await service.get('/accounts/shop/settings')).json, none);
});

test('a price is requested, an order is placed at it, and the payer is named on the page of the order', async () => {
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  const named = { accountId: 'acme', name: 'Treasury', network: 'polygon', address };
  const wallet = (await service.post('/wallets', named)).json;
  const price = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: '541,00', quantity: '' };
  const quoted = await submit(service, '/orders/quote', price);
  assert.equal(quoted.status, 200);
  const page = await quoted.text();
  assert.match(textOf(page), /Quantity \d+(\.\d+)? USDT on polygon Total cost R\$\s541\.00/);
  const [, path = ''] = /href="\/dashboard(\/orders\/new\?quoteId=[^"]+)"/.exec(page) ?? [];
  const quoteId = path.split('=')[1] ?? '';
  const order = { accountId: 'acme', quoteId, walletId: wallet.id, settlementSchedule: 'D0', payer: 'true' };
  const made = await submit(service, path, order);
  const at = (made.headers.get('location') ?? '').replace('/dashboard', '');
  assert.match(at, /^\/orders\/[\da-f-]{36}$/, await made.text());
  assert.match(textOf(await view(service, at)), /Name who pays/);
  const payer = { name: 'Maria da Silva', document: '529.982.247-25', methods: 'pix' };
  const wrong = await submit(service, `${at}/charge`, { ...payer, document: '1' });
  assert.match(textOf(await wrong.text()), /CPF or CNPJ must/);
  assert.equal((await submit(service, `${at}/charge`, payer)).headers.get('location'), `/dashboard${at}`);
  const { chargeId } = (await service.get(`/crypto/transactions/${at.split('/')[2]}`)).json;
  assert.equal((await service.get(`/charges/${chargeId}`)).json.customer.name, 'Maria da Silva');
  assert.doesNotMatch(await view(service, at), /Name who pays/);
});

test('the link of a checkout is withdrawn from the page of its charge', async () => {
  const { id } = (await service.post('/charges', chargeBody({ externalId: 'wrong person' }))).json;
  const path = await pathOf(service, id);
  assert.match(await view(service, `/charges/${id}`), /Withdraw the link/);
  assert.equal((await submit(service, `/charges/${id}/withdraw`)).status, 303);
  assert.equal((await fetch(service.url + path)).status, 404);
  assert.equal((await fetch(service.url + (await pathOf(service, id)))).status, 200);
});

test('a form that withdraws a link, sent twice, withdraws only that link', async () => {
  const { id } = (await service.post('/charges', chargeBody({ externalId: 'pressed twice' }))).json;
  const at = `/charges/${id}/withdraw`;
  const question = await view(service, at);
  assert.ok(!question.includes((await pathOf(service, id)).split('/')[2] ?? ''), 'the link itself is not in the form');
  assert.equal((await sendForm(service, at, question)).status, 303);
  const path = await pathOf(service, id);
  const second = await sendForm(service, at, question);
  assert.equal(second.status, 409);
  const refused = await second.text();
  assert.match(textOf(refused), /This link was withdrawn already/);
  assert.equal((await sendForm(service, at, refused)).status, 409, 'the page that says so names the same link');
  assert.equal(await pathOf(service, id), path, 'the new link stays');
});

test('a webhook gets another address and other events', async () => {
  const { id } = (await service.post('/webhooks', { url: 'http://127.0.0.1:9/hook' })).json;
  const fields = { url: 'http://127.0.0.1:9/other', types: 'charge.paid, charge.refunded' };
  assert.equal((await submit(service, `/webhooks/${id}/change`, fields)).status, 303);
  const changed = (await service.get(`/webhooks/${id}`)).json;
  assert.deepEqual([changed.url, changed.types], [fields.url, ['charge.paid', 'charge.refunded']]);
  const wrong = await submit(service, `/webhooks/${id}/change`, { ...fields, types: 'charge.paid nothing' });
  assert.match(textOf(await wrong.text()), /Events must/);
  assert.equal((await submit(service, `/webhooks/${id}/change`, { ...fields, types: '' })).status, 303);
  assert.equal((await service.get(`/webhooks/${id}`)).json.types, undefined);
});

test('a refund is of one payment among several, or only of the excess', async () => {
  const id = await openCharge(service, { methods: ['pix'], externalId: 'paid again' });
  await pay(service, id);
  await pay(service, id);
  const [first] = (await service.get(`/charges/${id}`)).json.payments;
  const at = `/charges/${id}/refund`;
  const refused = await submit(service, at, { amount: '' });
  assert.equal(refused.status, 400, 'an empty form sends nothing back');
  assert.deepEqual((await service.get(`/charges/${id}`)).json.refunds, []);
  assert.match(await (await fetch(`${service.url}/dashboard${at}`)).text(), /name="amount"[^>]*value="159.90"/);
  assert.equal((await submit(service, at, { amount: '1,00', paymentId: first.id })).status, 303);
  assert.equal((await submit(service, at, { excess: 'true' })).status, 303);
  const refunds = (await service.get(`/charges/${id}`)).json.refunds.map(
    (refund: { paymentId: string; amountCents: number }) => [refund.paymentId === first.id, refund.amountCents],
  );
  assert.deepEqual(refunds, [
    [true, 100],
    [false, 15_890],
  ]);
});

test('a form that creates something, sent twice, creates one', async () => {
  const count = async (path: string, list: string) => (await service.get(path)).json[list].length;
  for (const [at, fields, path, list] of [
    ['/keys/new', { accountId: 'acme', name: 'pressed twice', grant: 'read' }, '/keys', 'keys'],
    ['/webhooks/new', { accountId: 'acme', url: 'http://127.0.0.1:9/twice' }, '/webhooks', 'webhooks'],
    ['/people/invite', { name: 'Pressed Twice', role: 'viewer' }, '/people', 'people'],
  ] as const) {
    const before = await count(path, list);
    const page = await view(service, at);
    const first = await sendForm(service, at, page, fields);
    assert.equal(first.status, 200, await first.text());
    const second = await sendForm(service, at, page, fields);
    assert.equal(second.status, 409, at);
    assert.match(textOf(await second.text()), /This form was already sent/);
    assert.equal(await count(path, list), before + 1, at);
  }
  // A refused form creates nothing, so the corrected one counts.
  const fields = { accountId: 'acme', url: 'http://127.0.0.1:9/corrected' };
  const wrong = await submit(service, '/webhooks/new', { ...fields, url: 'nowhere' });
  assert.equal(wrong.status, 400);
  assert.equal((await sendForm(service, '/webhooks/new', await wrong.text(), fields)).status, 200);
});

test('a secret that is rotated by a form sent twice is rotated once, so the previous one still signs', async () => {
  const { id } = (await service.post('/webhooks', { url: 'http://127.0.0.1:9/rotated' })).json;
  const at = `/webhooks/${id}/rotate`;
  const page = await view(service, at);
  assert.equal((await sendForm(service, at, page)).status, 200);
  assert.equal((await sendForm(service, at, page)).status, 409);
});
