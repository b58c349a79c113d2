// Filters and choices as a person uses them in a browser without JavaScript, on a desk and on a phone, in light and dark.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before } from 'node:test';
import type { Page } from 'playwright-core';
import { chargeBody } from '../../harness/bodies.ts';
import { axeFaults, browserTest, openPage, sidewaysScroll } from '../../harness/browser.ts';
import { type Service, startService } from '../../harness/service.ts';
import { seed, transaction } from '../../harness/transactions.ts';

const JOAO = { name: 'João Conceição', document: '529.982.247-25' };
const SIZES = { desk: { width: 1280, height: 800 }, phone: { width: 375, height: 667 } };
const PICTURES = process.env['TRILHO_PICTURES'];

let service: Service;
before(async () => {
  service = await startService({ demo: true });
  await service.post('/charges', chargeBody({ customer: JOAO, methods: ['pix'], amountCents: 123_456 }));
  await service.post('/charges', chargeBody({ methods: ['pix'], accountId: 'beta' }));
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  await service.post('/wallets', { accountId: 'demo', name: 'Treasury', network: 'polygon', address });
  const order = { accountId: 'demo', quantity: '39534.20238095238095238', cost: '213484.69' };
  const held = transaction(order);
  await seed(service, [held, transaction(order)]);
  await service.sql(`update orders set hold_reason = 'underpaid', held_at = created_at where id = $1`, [held.id]);
  await service.runJobs();
});
after(() => service.stop());

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES !== undefined) await writeFile(path.join(PICTURES, `${name}.png`), await page.screenshot());
}

browserTest('filters are filled in, corrected and kept without JavaScript', async t => {
  const { page, faults, close } = await openPage({ viewport: SIZES.desk, javaScriptEnabled: false });
  t.after(close);
  await page.goto(`${service.url}/dashboard/charges`);
  await page.getByLabel('Payer', { exact: true }).fill('conceicao');
  await page.getByLabel('Amount from (R$)').fill('ten');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('Amount from (R$) must be an amount in reais').waitFor();
  assert.equal(await page.getByLabel('Payer', { exact: true }).inputValue(), 'conceicao');
  await page.getByLabel('Amount from (R$)').fill('1.234,56');
  await page.getByLabel('Method').selectOption('payable by pix');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByRole('cell', { name: 'João Conceição' }).waitFor();
  assert.equal(await page.getByRole('row').count(), 2, 'the headings and one charge');
  assert.equal(await page.getByLabel('Amount from (R$)').inputValue(), '1.234,56');
  const answered = faults.filter(text => !text.includes('400'));
  assert.deepEqual(answered, []);
});

browserTest('a charge and an order are created for an account and a wallet from the lists', async t => {
  const { page, close } = await openPage({ viewport: SIZES.phone, javaScriptEnabled: false });
  t.after(close);
  await page.goto(`${service.url}/dashboard/charges/new`);
  await page.getByLabel('Account').selectOption('beta');
  await page.getByLabel('Amount').fill('1.159,90');
  await page.getByLabel('Name of the payer').fill('Maria da Silva');
  await page.getByLabel('CPF or CNPJ').fill('529.982.247-25');
  await page.getByRole('textbox', { name: 'Due' }).fill('2026-12-01');
  await page.getByRole('button', { name: 'Create the charge' }).click();
  await page.getByRole('heading', { name: 'Charge of R$ 1,159.90' }).waitFor();
  assert.match(await page.getByRole('main').innerText(), /beta/);
  await page.goto(`${service.url}/dashboard/orders/new`);
  await page.getByLabel('Wallet').selectOption({ label: 'Treasury of demo on polygon, 0x529084…169EE7' });
});

const VIEWS = [
  '/charges',
  '/charges?amountFrom=ten&payer=529',
  '/orders',
  '/orders?show=held',
  '/orders/new',
  '/charges/new',
  '',
];

browserTest('lists with filters look right on a desktop and on a phone, in light and dark', async t => {
  const { page, close } = await openPage({ viewport: SIZES.desk });
  t.after(close);
  const wrong: string[] = [];
  for (const view of VIEWS) {
    await page.goto(`${service.url}/dashboard${view}`);
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      if ((await sidewaysScroll(page)) > 0) wrong.push(`${view} on a ${size} scrolls sideways`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const fault of await axeFaults(page, colorScheme === 'dark' ? { only: 'colours' } : {}))
          wrong.push(`${view} on a ${size} in ${colorScheme}: ${fault}`);
        await picture(page, `${size}-${colorScheme}-${view.replace(/\W+/g, '_').slice(0, 24) || 'overview'}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});
