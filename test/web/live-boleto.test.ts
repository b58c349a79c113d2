// The printed boleto of a live service: bank, nosso número and beneficiary come from its agreement.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { pdfPage, readInterleaved2of5 } from '../harness/pictures.ts';
import { startService } from '../harness/service.ts';

test('the page of a boleto names the bank and the beneficiary of its agreement', async () => {
  const boletos = [agreementEntry('341', { name: 'itau:main', firstNumber: '4321' })];
  const key = { TRILHO_PIX_KEY: 'pix@example.com', TRILHO_PIX_NAME: 'Acme', TRILHO_PIX_CITY: 'Recife' };
  const service = await startService({ mode: 'live', env: { ...key, TRILHO_BOLETOS: JSON.stringify(boletos) } });
  try {
    const made = await service.post('/charges', boletoBody({ expireAt: '2026-12-30T12:00:00Z' }));
    assert.equal(made.status, 201, made.text);
    const { json: charge } = await service.get(`/charges/${made.json.id}`);
    const page = await fetch(`${service.url}/pay/${charge.checkoutUrl.split('/').at(-1)}/boleto.pdf`);
    const { picture, text } = await pdfPage(Buffer.from(await page.arrayBuffer()), 200);
    assert.equal(readInterleaved2of5(picture, 44), charge.boleto.barcode);
    for (const part of ['Itaú', '109/00004321-', 'Padaria São João Ltda', '11.222.333/0001-81', '4459 / 17600-6']) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.doesNotMatch(text, /sandbox/i);
  } finally {
    await service.stop();
  }
});
