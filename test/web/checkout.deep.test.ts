// The checkout in a real browser: a payer with a phone, in either language, light or dark, with or without JavaScript.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { browserTest, openPage, PHONE } from '../harness/browser.ts';
import { assertGoodViews } from '../harness/checkout-views.ts';
import { CHECKOUTS, openCharge, pathOf, pay } from '../harness/checkouts.ts';
import { pngPicture, readQr } from '../harness/pictures.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

for (const [name, make] of Object.entries(CHECKOUTS)) {
  browserTest(`${name}: accessible, without sideways scroll, in each language and colour scheme`, async () => {
    await assertGoodViews(service.url + (await pathOf(service, await make(service))), name);
  });
}

for (const { locale, paidWord, button } of [
  { locale: 'pt-BR', paidWord: 'Pagamento recebido', button: 'Simular pagamento por Pix' },
  { locale: 'en', paidWord: 'Payment received', button: 'Simulate a Pix payment' },
]) {
  browserTest(`a payer pays on a phone (${locale}): code on screen, copied completely, receipt at once`, async () => {
    const id = await openCharge(service);
    const { page, close } = await openPage({ ...PHONE, locale, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto((service.url + (await pathOf(service, id))).replace('127.0.0.1', 'localhost'));
    const { pix } = (await service.get(`/charges/${id}`)).json;
    const order = await page.evaluate(
      `document.querySelector('.check').compareDocumentPosition(document.querySelector('.qr')) & 4`,
    );
    assert.equal(order, 4, 'the receiver stands before the code');
    assert.equal(readQr(pngPicture(await page.locator('.qr').screenshot())), pix.emv);
    assert.equal(await page.locator('#pix-code').inputValue(), pix.emv, 'the whole code can be selected');
    await page.locator('#copy-pix').click();
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), pix.emv);
    assert.match((await page.locator('[data-status=pix-code]').textContent()) ?? '', /app|banco/i);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: paidWord }).waitFor();
    assert.match(await page.locator('.receipt').innerText(), /Maria d\. S\./);
    await close();
  });
}

for (const [name, viewport] of Object.entries({
  'a small phone': { width: 375, height: 667 },
  'a wide screen': { width: 1280, height: 800 },
})) {
  for (const late of [false, true])
    browserTest(
      `${name} shows the copy button ${late ? 'of a late charge ' : ''}without scrolling, a wide screen also the whole QR code`,
      async () => {
        const id = await openCharge(
          service,
          late
            ? {
                dueAt: '2026-01-10T23:59:59-03:00',
                expireAt: '2030-12-31T23:59:59-03:00',
                taxes: { fine: 2, interest: 1 },
              }
            : {},
        );
        const { page, close } = await openPage({ viewport, locale: 'pt-BR' });
        await page.goto(service.url + (await pathOf(service, id)));
        const bottomOf = async (what: string) => {
          const box = await page.locator(what).boundingBox();
          assert.ok(box, what);
          return box.y + box.height;
        };
        assert.ok(
          (await bottomOf('#copy-pix')) <= viewport.height,
          `the copy button ends at ${await bottomOf('#copy-pix')}`,
        );
        if (viewport.width > 1000) {
          assert.ok((await bottomOf('.qr')) <= viewport.height, `the QR code ends at ${await bottomOf('.qr')}`);
          const [check, pay] = await Promise.all(['.check', '.pay'].map(what => page.locator(what).boundingBox()));
          assert.ok(check!.x + check!.width <= pay!.x, 'two columns');
        }
        await close();
      },
    );
}

browserTest('an open page shows the payment by itself, also after an outage of the network', async () => {
  const id = await openCharge(service);
  const { page, close } = await openPage({ ...PHONE, locale: 'pt-BR' });
  await page.goto(service.url + (await pathOf(service, id)));
  await page.getByRole('heading', { name: 'Aguardando pagamento' }).waitFor();
  await page.context().setOffline(true);
  await pay(service, id);
  await page.context().setOffline(false);
  await page.getByRole('heading', { name: 'Pagamento recebido' }).waitFor();
  assert.match((await page.locator('[role=status][data-live]').textContent()) ?? '', /Pagamento recebido/);
  await close();
});

browserTest('it can be paid without JavaScript: code, line, bars, PDF and a link to reload', async () => {
  const id = await openCharge(service);
  const { page, close } = await openPage({ ...PHONE, locale: 'en', javaScriptEnabled: false });
  await page.goto(service.url + (await pathOf(service, id)));
  const { pix, boleto } = (await service.get(`/charges/${id}`)).json;
  assert.equal(await page.locator('#pix-code').inputValue(), pix.emv);
  assert.equal(readQr(pngPicture(await page.locator('.qr').screenshot())), pix.emv);
  await page.locator('#by-boleto summary').click();
  const line = await page.locator('#boleto-line').inputValue();
  assert.equal(line.replaceAll(/\D/g, ''), boleto.digitableLine);
  assert.equal(await page.locator('#copy-pix').isVisible(), false, 'no button that does nothing');
  await pay(service, id);
  await page.getByRole('link', { name: 'I have paid: check now' }).click();
  await page.getByRole('heading', { name: 'Payment received' }).waitFor();
  await close();
});

browserTest('the QR code can be read in the dark, on a white card', async () => {
  const id = await openCharge(service, { methods: ['pix'] });
  const { page, close } = await openPage({ ...PHONE, colorScheme: 'dark' });
  await page.goto(service.url + (await pathOf(service, id)));
  const { pix } = (await service.get(`/charges/${id}`)).json;
  assert.equal(readQr(pngPicture(await page.locator('.qr').screenshot())), pix.emv);
  assert.equal(await page.locator('meta[name=color-scheme]').getAttribute('content'), 'light dark');
  await close();
});

browserTest('without a clipboard the text is selected, and the page says so', async () => {
  const id = await openCharge(service);
  const { page, close } = await openPage({ ...PHONE, locale: 'en' });
  await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
  await page.goto(service.url + (await pathOf(service, id)));
  await page.locator('#copy-pix').click();
  await page.getByText('The text is selected').waitFor();
  const { pix } = (await service.get(`/charges/${id}`)).json;
  assert.equal(await page.evaluate('getSelection().toString()'), pix.emv);
  // The page polls in the meantime. At its second request it has processed the first answer.
  for (let times = 0; times < 2; times++) {
    const looks = page.waitForResponse(page.url());
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await looks;
  }
  assert.equal(await page.evaluate('getSelection().toString()'), pix.emv, 'nothing changed, so it stays selected');
  assert.match((await page.locator('[data-status=pix-code]').textContent()) ?? '', /The text is selected/);
  await close();
});

browserTest('a countdown appears only in the last quarter of an hour, and is not read aloud', async () => {
  const at = '2026-11-16T20:00:00Z';
  const id = await openCharge(service, { dueAt: at, expireAt: at, methods: ['pix'] });
  const { page, close } = await openPage({ locale: 'en' });
  await page.goto(service.url + (await pathOf(service, id)));
  assert.equal(await page.locator('[data-left-ms]').count(), 0);
  assert.equal((await service.post('/sandbox/clock', { to: '2026-11-16T19:50:00Z' })).status, 200);
  await page.goto(service.url + (await pathOf(service, id)));
  const counter = page.locator('[data-left-ms]');
  assert.match((await counter.textContent()) ?? '', /Time left: \d+:\d\d/);
  assert.equal(await counter.getAttribute('aria-hidden'), 'true');
  assert.equal((await service.post('/sandbox/clock', { to: '2026-11-16T20:00:00Z' })).status, 200);
  await page.getByRole('heading', { name: 'Expired' }).waitFor();
  assert.equal(await page.locator('.qr').count(), 0, 'no code of what must not be paid');
  await close();
});

browserTest('a code that the payer selects by hand stays selected during the countdown', async t => {
  const own = await startService();
  t.after(() => own.stop());
  const at = '2026-11-16T20:00:00Z';
  const id = await openCharge(own, { dueAt: at, expireAt: at, methods: ['pix'] });
  own.clock.set('2026-11-16T19:40:00Z');
  const { page, faults, close } = await openPage({ ...PHONE, locale: 'en' });
  t.after(close);
  await page.goto(own.url + (await pathOf(own, id)));
  await page.locator('#pix-code').selectText();
  const counter = page.locator('[data-left-ms]');
  assert.equal(await counter.count(), 0);
  for (const [now, leftMs] of [
    ['2026-11-16T19:50:00Z', 600_000],
    ['2026-11-16T19:51:00Z', 540_000],
    ['2026-11-16T19:55:00Z', 300_000],
  ] as const) {
    own.clock.set(now);
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await page.locator(`[data-left-ms="${leftMs}"]:visible`).waitFor();
    assert.match((await counter.textContent()) ?? '', /Time left: \d+:\d\d/);
    const { pix } = (await own.get(`/charges/${id}`)).json;
    assert.equal(await page.evaluate('getSelection().toString()'), pix.emv, now);
  }
  assert.deepEqual(faults, []);
});

browserTest('hostile names and descriptions are shown as text', async () => {
  const hostile = `<img src=x onerror=alert(1)>"'</title></textarea><script>alert(2)</script>`;
  const id = await openCharge(service, {
    accountId: 'hostile',
    description: hostile.slice(0, 140),
    customer: { name: hostile, document: '52998224725' },
  });
  const change = JSON.stringify({ displayName: hostile.slice(0, 100) });
  const headers = { 'content-type': 'application/json' };
  const { status } = await service.send('/accounts/hostile/settings', { method: 'PATCH', body: change, headers });
  assert.equal(status, 200);
  const { page, faults, close } = await openPage({ locale: 'en' });
  let alerts = 0;
  page.on('dialog', dialog => {
    alerts++;
    return dialog.dismiss();
  });
  await page.goto(service.url + (await pathOf(service, id)));
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.locator('.seller').textContent())?.includes('<img src=x'));
  assert.equal(alerts, 0);
  assert.deepEqual(faults, []);
  await close();
});
