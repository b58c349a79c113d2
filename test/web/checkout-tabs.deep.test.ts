// Checkouts in more than one window: tabs that share one stream, pages in frames of shops, what is shared and printed.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, type TestContext } from 'node:test';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { browserTest, openPage, PHONE } from '../harness/browser.ts';
import { assertGoodViews } from '../harness/checkout-views.ts';
import { openCharge, pathOf, pay } from '../harness/checkouts.ts';
import { pdfText } from '../harness/pictures.ts';
import { type Service, startService } from '../harness/service.ts';
import { openStreams, untilOneStream } from '../harness/streams.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

browserTest(
  'ten tabs of one checkout share one stream, are all updated, and continue when the tab that had it is closed',
  async t => {
    const id = await openCharge(service);
    const { page, close } = await openPage({ locale: 'en' });
    t.after(close);
    // No tab polls: it shows what it received.
    await page.context().addInitScript('window.setTimeout = () => 0');
    // Locks, which choose the tab with the stream, need a secure context.
    const url = (service.url + (await pathOf(service, id))).replace('127.0.0.1', 'localhost');
    const tabs = [page, ...(await Promise.all(Array.from({ length: 9 }, () => page.context().newPage())))];
    for (const tab of tabs) await tab.goto(url);
    for (const tab of tabs) await tab.waitForFunction('navigator.locks.query().then(({ held }) => held.length === 1)');
    await untilOneStream(service, 'checkout');
    await page.close();
    const left = tabs.slice(1);
    await left[0]?.waitForFunction(
      'navigator.locks.query().then(({ held, pending }) => held.length + pending.length === 9)',
    );
    await pay(service, id);
    for (const tab of left) await tab.getByRole('heading', { name: 'Payment received' }).waitFor();
    assert.ok((await openStreams(service, 'checkout')) <= 1);
  },
);

/** A shop at an origin of its own that shows the page in a frame. */
async function shopAround(t: TestContext, framed: () => string): Promise<string> {
  const shop = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<h1>Shop</h1><iframe title="Checkout" src="${framed()}" width="400" height="900"></iframe>`);
  });
  await new Promise<void>(resolve => shop.listen(0, '127.0.0.1', resolve));
  t.after(() => shop.close());
  return `http://localhost:${(shop.address() as AddressInfo).port}`;
}

browserTest(
  'a shop that the account lists can show the checkout in a frame, where it is paid; another shop cannot',
  async t => {
    const id = await openCharge(service, { accountId: 'framed' });
    const url = service.url + (await pathOf(service, id));
    const [listed, other] = await Promise.all([shopAround(t, () => url), shopAround(t, () => url)]);
    const body = JSON.stringify({ frameOrigins: [listed] });
    const headers = { 'content-type': 'application/json' };
    const changed = await service.send('/accounts/framed/settings', { method: 'PATCH', body, headers });
    assert.equal(changed.status, 200, changed.text);

    const shown = await openPage({ locale: 'en' });
    t.after(shown.close);
    const stream = shown.page.waitForResponse(answer => answer.url().endsWith('/stream'));
    await shown.page.goto(listed);
    const frame = shown.page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Waiting for payment' }).waitFor();
    await stream;
    await frame.getByRole('button', { name: 'Simulate a Pix payment' }).click();
    await frame.getByRole('heading', { name: 'Payment received' }).waitFor();
    assert.deepEqual(shown.faults, []);

    const refused = await openPage({ locale: 'en' });
    t.after(refused.close);
    await refused.page.goto(other);
    await refused.page.waitForLoadState('networkidle');
    assert.match(refused.faults.join('\n'), /frame-ancestors/);
    assert.equal(await refused.page.frameLocator('iframe').getByRole('heading').count(), 0);
  },
);

browserTest('the link can be shared if the device supports it, and otherwise no button is shown', async t => {
  const url = service.url + (await pathOf(service, await openCharge(service)));
  for (const canShare of [true, false]) {
    const { page, faults, close } = await openPage({ ...PHONE, locale: 'en' });
    t.after(close);
    await page.addInitScript(
      canShare
        ? `Object.defineProperty(navigator, 'share', { value: async shared => { window.shared = shared; } })`
        : `delete Navigator.prototype.share`,
    );
    await page.goto(url);
    const button = page.getByRole('button', { name: 'Share' });
    assert.equal(await button.isVisible(), canShare);
    if (!canShare) continue;
    await button.click();
    const shared = await page.evaluate('window.shared');
    assert.deepEqual(shared, { title: await page.title(), url });
    assert.deepEqual(faults, []);
  }
});

browserTest('the printed page has receiver, amount, both codes and no button', async t => {
  const id = await openCharge(service, { description: 'Pedido 1050' });
  const { boleto } = (await service.get(`/charges/${id}`)).json;
  const { page, close } = await openPage({ locale: 'en', colorScheme: 'dark' });
  t.after(close);
  await page.addInitScript('window.print = () => { window.printed = true; };');
  await page.goto(service.url + (await pathOf(service, id)));
  await page.getByRole('button', { name: 'Print' }).click();
  assert.equal(await page.evaluate('window.printed'), true);
  await page.emulateMedia({ media: 'print' });
  for (const button of await page.getByRole('button').all()) assert.equal(await button.isVisible(), false);
  for (const part of ['.check', '.qr', '.bars', '#boleto-line']) {
    assert.equal(await page.locator(part).isVisible(), true, part);
  }
  const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  assert.ok(['rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)'].includes(String(paper)), `${paper} on paper`);
  const text = await pdfText(await page.pdf({ format: 'A4' }));
  assert.match(text, /159\.90/);
  assert.match(text, /Trilho Sandbox/i);
  assert.ok(text.replaceAll(/\D/g, '').includes(boleto.digitableLine), 'the whole line');
});

for (const { failing, offered, note } of [
  { failing: 'boleto', offered: 'Pix', note: /boleto/i },
  { failing: 'pix', offered: 'Boleto', note: /pix/i },
] as const) {
  browserTest(`if the bank refused the ${failing}, the page says so and offers the other method`, async t => {
    const refuses = { submit: async () => ({ kind: 'rejected', reason: 'no agreement' }) as const };
    const rails = { ...sandboxRails, [failing]: { ...sandboxRails[failing], ...refuses } };
    const other = await startService({ rails });
    t.after(() => other.stop());
    const id = await openCharge(other);
    const url = other.url + (await pathOf(other, id));
    await assertGoodViews(url, `${failing} failed`);
    const { page, faults, close } = await openPage({ ...PHONE, locale: 'en' });
    t.after(close);
    await page.goto(url);
    await page.getByRole('heading', { name: offered, exact: true }).waitFor();
    assert.match((await page.locator('.note.warn').textContent()) ?? '', note);
    assert.equal(await page.locator('.qr').count(), failing === 'pix' ? 0 : 1);
    assert.equal(await page.locator('.bars').count(), failing === 'boleto' ? 0 : 1);
    assert.doesNotMatch(
      (await page.textContent('body')) ?? '',
      /no agreement/,
      'the reason of a bank is only for the seller',
    );
    await pay(other, id, { method: offered.toLowerCase() });
    await page.getByRole('heading', { name: 'Payment received' }).waitFor();
    assert.deepEqual(faults, []);
  });
}
