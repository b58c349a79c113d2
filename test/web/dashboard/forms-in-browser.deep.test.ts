// Forms of the dashboard as a browser shows and sends them.
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { browserTest, openPage } from '../../harness/browser.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

browserTest('a form without a chosen file changes the other fields, as a browser sends it', async t => {
  const { page, close } = await openPage({ javaScriptEnabled: false });
  t.after(close);
  await service.post('/accounts', { id: 'bakery' });
  await page.goto(`${service.url}/dashboard/accounts/bakery/settings`);
  await page.getByLabel('Name above the checkout').fill('Padaria do Zé');
  await page.getByRole('button', { name: 'Change the settings' }).click();
  assert.equal(await page.getByLabel('Name above the checkout').inputValue(), 'Padaria do Zé');
  assert.equal((await service.get('/accounts/bakery/settings')).json.displayName, 'Padaria do Zé');
});

browserTest('a simple charge by pix needs no group to be opened', async t => {
  const { page, close } = await openPage();
  t.after(close);
  await page.goto(`${service.url}/dashboard/charges/new`);
  await page.getByLabel('Account').selectOption('bakery');
  await page.getByLabel('Amount').fill('20,00');
  await page.getByLabel('Name of the payer').fill('Maria da Silva');
  await page.getByLabel('CPF or CNPJ').fill('529.982.247-25');
  await page.getByRole('textbox', { name: 'Due' }).fill('2026-12-10');
  assert.equal(await page.getByLabel('Fine, in percent').isVisible(), false);
  await page.getByText('When it is paid late').click();
  await page.getByLabel('Fine, in percent').fill('2');
  await page.getByRole('button', { name: 'Create the charge' }).click();
  await page.waitForURL(/\/dashboard\/charges\/[\da-f-]{36}$/);
  const { json } = await service.get(new URL(page.url()).pathname.replace('/dashboard', ''));
  assert.deepEqual(json.taxes, { fine: 2 });
});
