// The pictures of a charge, fetched from the service and read as a phone or a till would.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { pdfPage, pngPicture, readInterleaved2of5, readQr } from '../harness/pictures.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const make = async (changes: Record<string, unknown> = {}) =>
  (await service.post('/charges', chargeBody(changes))).json;

async function fetchPicture(path: string, type: string): Promise<Buffer> {
  const response = await fetch(service.url + path);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), type);
  return Buffer.from(await response.arrayBuffer());
}

test('the QR code at qrCodeUrl is the emv of the charge', async () => {
  const { pix } = await make();
  assert.equal(readQr(pngPicture(await fetchPicture(pix.qrCodeUrl, 'image/png'))), pix.emv);
});

test('the QR code is also there as SVG', async () => {
  const { pix } = await make();
  const svg = String(await fetchPicture(pix.qrCodeUrl.replace('.png', '.svg'), 'image/svg+xml'));
  assert.match(svg, /^<svg /);
});

test('the page at pdfUrl has the barcode, the line and the QR code of the charge', async () => {
  const { boleto, pix } = await make({
    taxes: { fine: 2, interest: 1 },
    customer: { name: 'João da Conceição', document: '52998224725' },
  });
  const { picture, text } = await pdfPage(await fetchPicture(boleto.pdfUrl, 'application/pdf'), 200);
  assert.equal(readInterleaved2of5(picture, 44), boleto.barcode);
  assert.equal(readQr(picture), pix.emv);
  assert.ok(text.replaceAll(/[ .]/g, '').includes(boleto.digitableLine));
  assert.match(text, /João da Conceição/);
  assert.match(text, /159,90/);
  assert.match(text, /10\/12\/2026/);
  assert.match(text, /SANDBOX/);
});

test('a page without pix has no QR code', async () => {
  const { boleto } = await make({ methods: ['boleto'] });
  const { picture } = await pdfPage(await fetchPicture(boleto.pdfUrl, 'application/pdf'), 200);
  assert.equal(readQr(picture), undefined);
});

test('a method that can no longer be paid has no picture', async () => {
  const { id } = await make();
  await service.send(`/charges/${id}/cancel`, { method: 'POST' });
  for (const path of ['pix.png', 'pix.svg', 'boleto.pdf'])
    assert.equal((await service.get(`/charges/${id}/${path}`)).status, 409);
});

test('a method that was not requested has no picture', async () => {
  const { id } = await make({ methods: ['pix'] });
  assert.equal((await service.get(`/charges/${id}/boleto.pdf`)).status, 404);
  assert.equal((await service.get('/charges/019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17/pix.png')).status, 404);
});
