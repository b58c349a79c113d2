// The contents of the page of a checkout for any reader.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newCharge, openCharge, pathOf } from '../harness/checkouts.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test('the payer is masked on the page and in the PDF of the link, and unmasked in the PDF for an API key', async () => {
  const id = await openCharge(service, { customer: { name: 'Joaquina Pereira Lima', document: '529.982.247-25' } });
  const path = await pathOf(service, id);
  const page = await (await fetch(service.url + path)).text();
  assert.match(page, /Joaquina P\. L\./);
  assert.doesNotMatch(page, /Pereira|529\.?982\.?247-?25|52998224725/);
  const { pdfPage } = await import('../harness/pictures.ts');
  const pdf = async (at: string) =>
    (await pdfPage(Buffer.from(await (await fetch(service.url + at)).arrayBuffer()), 72)).text;
  const linked = await pdf(`${path}/boleto.pdf`);
  assert.match(linked, /Joaquina P\. L\./);
  assert.match(linked, /\*\*\*\.982\.247-\*\*/);
  assert.doesNotMatch(linked, /Pereira/);
  assert.ok(linked.includes(path), 'the PDF names the link');
  assert.match(await pdf(`/charges/${id}/boleto.pdf`), /Joaquina Pereira Lima/);
});

test('only a page with scripts says that it updates itself', async () => {
  const id = await openCharge(service);
  const text = await (await fetch(service.url + (await pathOf(service, id)))).text();
  assert.match(
    text,
    /<span class="needs-script">(This page updates by itself|Esta página se atualiza sozinha)\.<\/span>/,
  );
});

test('the settings of an account explain their format: a colour, and a link for questions', async () => {
  const refused = await service.send('/accounts/acme/settings', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ colour: 'green', supportUrl: 'ftp://shop.example' }),
  });
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /must be a colour such as #0b6b4a/);
  const url = await service.send('/accounts/acme/settings', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ supportUrl: 'ftp://shop.example' }),
  });
  assert.match(url.text, /must be a URL with https:, mailto: or tel:/);
});

test('a page that is being prepared has no code', async () => {
  const id = await newCharge(service);
  const text = await (await fetch(service.url + (await pathOf(service, id)))).text();
  assert.doesNotMatch(text, /id="pix-code"|class="qr"/);
});
