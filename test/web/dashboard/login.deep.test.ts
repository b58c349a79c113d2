// People on the dashboard in a real browser: a passkey by a virtual authenticator, acts with their confirmation, and what a viewer, a
// foreign page and a browser without JavaScript can do.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { sandboxRails } from '../../../src/sandbox/rails.ts';
import { chargeBody } from '../../harness/bodies.ts';
import { browserTest, openPage } from '../../harness/browser.ts';
import { invite } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';
import { untilOneStream } from '../../harness/streams.ts';

let service: Service;
let home: string;
before(async () => {
  service = await startService({ mode: 'live', rails: sandboxRails });
  home = `http://localhost:${new URL(service.url).port}`;
});
after(() => service.stop());

const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
const newCharge = async (externalId: string) =>
  (await service.post('/charges', chargeBody({ customer, methods: ['pix'], externalId }))).json;
const aMinute = () => service.clock.advanceMs(60_000);

/** A fingerprint reader that always agrees. */
async function giveAuthenticator(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

browserTest('a person logs in by a link, adds a passkey, logs in with it, and verifies again for a key', async t => {
  const { path } = await invite(service, 'owner');
  const { page, faults, close } = await openPage();
  t.after(close);
  await giveAuthenticator(page);
  await page.goto(home + path);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/dashboard/me');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('Last used').waitFor();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.waitForURL('**/dashboard/login');
  aMinute();
  await page.goto(`${home}/dashboard/keys`);
  await page.waitForURL('**/dashboard/login?next=**');
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.waitForURL('**/dashboard/keys');
  service.clock.advanceMs(5 * 60_000);
  await page.getByRole('link', { name: 'New key' }).click();
  await page.waitForURL('**/dashboard/confirm?next=**');
  await page.getByRole('button', { name: 'Show my passkey' }).click();
  await page.waitForURL('**/dashboard/keys/new');
  await page.getByLabel('Account').selectOption('acme');
  await page.getByRole('button', { name: 'Create the key' }).click();
  const text = (await page.locator('code.long').textContent()) ?? '';
  assert.equal((await service.get('/charges', { authorization: `Bearer ${text}` })).status, 200);
  assert.deepEqual(faults, []);
});

browserTest('a passkey that was never registered here is refused', async t => {
  aMinute();
  const { page, close } = await openPage();
  t.after(close);
  await giveAuthenticator(page);
  await page.goto(`${home}/dashboard/login`);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('No passkey was used.').waitFor();
});

test('a challenge counts once', async () => {
  aMinute();
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const options = await fetch(`${service.url}/dashboard/login/options`, { method: 'POST', headers });
  assert.equal(options.status, 200);
  const { challenge, userVerification } = (await options.json()) as { challenge: string; userVerification: string };
  assert.equal(userVerification, 'required');
  const clientDataJSON = Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: home })).toString(
    'base64url',
  );
  const [known] = await service.sql<{ id: string }>('select id from passkeys limit 1');
  const forged = {
    id: known?.id,
    rawId: known?.id,
    type: 'public-key',
    response: { clientDataJSON, authenticatorData: 'AAAA', signature: 'AAAA' },
    clientExtensionResults: {},
  };
  const answer = () =>
    fetch(`${service.url}/dashboard/login`, { method: 'POST', headers, body: JSON.stringify(forged) });
  const left = async () => (await service.sql('select from passkey_challenges')).length;
  const before = await left();
  assert.equal((await answer()).status, 401);
  assert.equal(await left(), before - 1);
  for (let attempt = 0; attempt < 4; attempt++) assert.equal((await answer()).status, 401);
  // The sixth failure within a quarter of an hour is not even checked.
  assert.equal((await answer()).status, 429);
});

/** A browser in which a person is logged in. */
async function browseAs(
  role: 'viewer' | 'operator',
  { javaScriptEnabled = true, ofAllAccounts = false }: { javaScriptEnabled?: boolean; ofAllAccounts?: boolean } = {},
) {
  aMinute();
  const { path } = await invite(service, role, ofAllAccounts ? undefined : 'acme');
  const opened = await openPage({ javaScriptEnabled });
  await opened.page.goto(home + path);
  await opened.page.getByRole('button', { name: 'Log in' }).click();
  await opened.page.waitForURL('**/dashboard/me');
  return opened;
}

browserTest('without JavaScript a charge is created, its cancelation confirmed, and exported', async t => {
  const { page, close } = await browseAs('operator', { javaScriptEnabled: false });
  t.after(close);
  await page.goto(`${home}/dashboard/charges/new`);
  await page.getByLabel('Amount').fill('1.234,56');
  await page.getByLabel('Name of the payer').fill('João <b>Souza</b>');
  await page.getByLabel('CPF or CNPJ').fill('529.982.247-25');
  await page.getByRole('textbox', { name: 'Due' }).fill('2027-06-10');
  await page.getByRole('button', { name: 'Create the charge' }).click();
  assert.match((await page.getByRole('heading', { level: 1 }).textContent()) ?? '', /1,234\.56/);
  assert.equal(await page.getByText('João <b>Souza</b>').count(), 1);
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByText('Its code and boleto are withdrawn.').waitFor();
  await page.getByRole('button', { name: 'Cancel the charge' }).click();
  await page.locator('.state').getByText('canceled', { exact: true }).waitFor();
  const csv = await (await page.request.get(`${home}/dashboard/charges.csv?state=CANCELED`)).text();
  assert.match(csv, /,CANCELED,1234\.56,BRL,/);
});

browserTest('a form with a fault names the field and keeps what was filled in', async t => {
  const { page, close } = await browseAs('operator', { javaScriptEnabled: false });
  t.after(close);
  await page.goto(`${home}/dashboard/charges/new`);
  await page.getByLabel('Amount').fill('ten');
  await page.getByLabel('Name of the payer').fill('Ana');
  await page.getByLabel('CPF or CNPJ').fill('123');
  await page.getByRole('textbox', { name: 'Due' }).fill('2027-06-10');
  await page.getByRole('button', { name: 'Create the charge' }).click();
  const said = (await page.getByRole('alert').textContent()) ?? '';
  assert.match(said, /CPF or CNPJ|customer\.document/);
  assert.equal(await page.getByLabel('Name of the payer').inputValue(), 'Ana');
});

browserTest('a button that is pressed twice has one effect', async t => {
  const { page, close } = await browseAs('operator', { javaScriptEnabled: false });
  t.after(close);
  const charge = await newCharge('pressed twice');
  await service.runJobs();
  const paid = { amountCents: 15_990, reference: 'E9999999920261116130000000000077' };
  assert.equal((await service.post(`/charges/${charge.id}/payments`, paid)).status, 201);
  await page.goto(`${home}/dashboard/charges/${charge.id}/refund`);
  await page.getByLabel('Amount').fill('10,00');
  const once = await page.locator('input[name=once]').inputValue();
  const form = { once, amount: '10,00' };
  const headers = { 'sec-fetch-site': 'same-origin' };
  const press = () =>
    page.request.post(`${home}/dashboard/charges/${charge.id}/refund`, { form, headers, maxRedirects: 0 });
  assert.deepEqual(
    (await Promise.all([press(), press()])).map(answer => answer.status()),
    [303, 303],
  );
  assert.equal((await service.get(`/charges/${charge.id}`)).json.refunds.length, 1);
});

browserTest('a viewer sees no forms, and is refused acts', async t => {
  const { page, close } = await browseAs('viewer');
  t.after(close);
  const { id } = await newCharge('seen');
  await page.goto(`${home}/dashboard/charges/${id}`);
  assert.equal(await page.getByRole('link', { name: 'Cancel' }).count(), 0);
  for (const view of [`charges/${id}/cancel`, 'charges/new', 'webhooks/new', 'keys', 'people']) {
    assert.equal((await page.goto(`${home}/dashboard/${view}`))?.status(), 403, view);
  }
  const headers = { 'sec-fetch-site': 'same-origin' };
  const forced = await page.request.post(`${home}/dashboard/charges/${id}/cancel`, { form: {}, headers });
  assert.equal(forced.status(), 403);
  assert.notEqual((await service.get(`/charges/${id}`)).json.state, 'CANCELED');
});

browserTest('a page of another origin cannot act with the cookie', async t => {
  const { page, close } = await browseAs('operator');
  t.after(close);
  const { id } = await newCharge('foreign page');
  const evil = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<form method="post" action="${home}/dashboard/charges/${id}/cancel"><button>Win</button></form>`);
  });
  await new Promise<void>(resolve => evil.listen(0, '127.0.0.1', resolve));
  t.after(() => evil.close());
  // 127.0.0.1 is another site than localhost.
  await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
  await page.getByRole('button', { name: 'Win' }).click();
  await page.waitForLoadState();
  assert.notEqual((await service.get(`/charges/${id}`)).json.state, 'CANCELED');
});

browserTest('one box finds a charge by id, txid, external id and payment', async t => {
  const { page, close } = await browseAs('viewer');
  t.after(close);
  const charge = await newCharge('found by this');
  await service.runJobs();
  const reference = 'E9999999920261116130000000000099';
  await service.post(`/charges/${charge.id}/payments`, { amountCents: 15_990, reference });
  const [method] = await service.sql<{ reference: string }>(
    'select reference from charge_methods where charge_id = $1',
    [charge.id],
  );
  for (const id of [charge.id, 'found by this', reference, method?.reference ?? '']) {
    await page.goto(`${home}/dashboard`);
    await page.getByRole('searchbox').fill(id);
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(`**/dashboard/charges/${charge.id}`);
  }
});

/** A page that does not poll, so that only notifications make it fetch. It may retry soon after a failed fetch. */
const NO_POLLS =
  'const wait = window.setTimeout; window.setTimeout = (run, ms, ...rest) => (ms < 5_000 ? wait(run, ms, ...rest) : 0)';

browserTest('ten tabs share one stream, and all of them show a change', async t => {
  const { page, close } = await browseAs('viewer');
  t.after(close);
  await page.context().addInitScript(NO_POLLS);
  const tabs = [page];
  for (let tab = 1; tab < 10; tab++) tabs.push(await page.context().newPage());
  for (const tab of tabs) await tab.goto(`${home}/dashboard/charges`);
  await page.waitForFunction(
    'navigator.locks.query().then(({ held, pending }) => held.length + pending.length === 10)',
  );
  await untilOneStream(service, 'dashboard');
  await newCharge('shown in all tabs');
  await Promise.all(tabs.map(tab => tab.getByText('shown in all tabs').waitFor()));
});

for (const way of ['the stream', 'the network'] as const) {
  browserTest(`a page that lost its network is updated by ${way} with what happened in the meantime`, async t => {
    const { page, close } = await browseAs('viewer');
    t.after(close);
    await page.addInitScript(NO_POLLS);
    if (way === 'the network') await page.route('**/dashboard/stream', route => route.abort());
    // The page gets no network events from the browser.
    else await page.addInitScript(`addEventListener('online', event => event.stopImmediatePropagation(), true)`);
    const reason = `made while ${way} was away`;
    await page.goto(`${home}/dashboard/charges`);
    // A stream that is not open yet cannot reconnect.
    if (way === 'the stream') await untilOneStream(service, 'dashboard');
    await page.context().setOffline(true);
    await newCharge(reason);
    assert.equal(await page.getByText(reason).count(), 0);
    await page.context().setOffline(false);
    await page.getByText(reason).waitFor();
  });
}

browserTest('a page whose fetch failed fetches again at the next equal notification', async t => {
  const { page, close } = await browseAs('viewer');
  t.after(close);
  await page.addInitScript(NO_POLLS);
  // A stream that ends at once: the browser reopens it, and each time it sends the same notification.
  const stream = { contentType: 'text/event-stream', body: 'retry: 50\ndata: another\n\n' };
  await page.route('**/dashboard/stream', route => route.fulfill(stream));
  let isAway = true;
  await page.route('**/dashboard/charges', route =>
    isAway && route.request().resourceType() === 'fetch' ? route.abort() : route.continue(),
  );
  const looks = page.waitForEvent('requestfailed', request => request.resourceType() === 'fetch');
  await page.goto(`${home}/dashboard/charges`);
  await looks;
  await newCharge('notified again');
  isAway = false;
  await page.getByText('notified again').waitFor();
});

browserTest('the first page shows what needs a person as soon as it appears, until it is done', async t => {
  // Money without a charge is about all accounts.
  const { page, close } = await browseAs('operator', { ofAllAccounts: true });
  t.after(close);
  await page.addInitScript(NO_POLLS);
  await page.goto(`${home}/dashboard`);
  await page.getByText('Nothing needs you.').waitFor();
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
     values ('E77', '2026-11-16T11:00:00Z', 4200, 'PIX RECEBIDO', now())`,
  );
  await newCharge('wakes the page');
  await page.getByRole('heading', { name: 'Money without a charge' }).waitFor();
  await service.post('/payments/unmatched/dismiss', { reference: 'E77' });
  await newCharge('wakes it again');
  await page.getByText('Nothing needs you.').waitFor();
});

browserTest('when a session is ended elsewhere every open page goes to the login', async t => {
  const { page, close } = await browseAs('viewer');
  t.after(close);
  await page.goto(`${home}/dashboard/charges`);
  await service.sql('delete from sessions');
  await newCharge('seen by nobody');
  await page.waitForURL('**/dashboard/login?next=**');
});

browserTest('with a keyboard the first stop skips to the page, and a form is sent with Enter', async t => {
  const { page, close } = await browseAs('operator');
  t.after(close);
  const { id } = await newCharge('by keyboard');
  await page.goto(`${home}/dashboard/charges/${id}/cancel`);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the page');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel the charge');
  await page.keyboard.press('Enter');
  await page.locator('.state').getByText('canceled', { exact: true }).waitFor();
  assert.equal((await service.get(`/charges/${id}`)).json.state, 'CANCELED');
});
