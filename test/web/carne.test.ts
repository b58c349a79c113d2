// The slips of instalments, as a phone and a scanner see them: pixels in, codes out.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Picture, pdfPictures, pdfText, readInterleaved2of5, readQr } from '../harness/pictures.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** Of a printer and a scanner. */
const DPI = 300;
/** As in the test of a single boleto. */
const PAGE_DPI = 200;
const SLIPS_ON_A_PAGE = 3;

type Shown = { id: string; boleto: { barcode: string; digitableLine: string }; pix: { emv: string } };

async function create(
  changes: Record<string, unknown> = {},
): Promise<{ id: string; charges: Shown[]; checkoutUrl: string }> {
  const made = await service.post('/instalments', {
    accountId: 'acme',
    description: 'Curso de inglês',
    amountCents: 100_000,
    currency: 'BRL',
    count: 5,
    firstDueDay: '2026-12-31',
    methods: ['boleto', 'pix'],
    customer: { name: 'Maria da Conceição Araújo', document: '52998224725' },
    taxes: { fine: 2, interest: 1 },
    ...changes,
  });
  assert.equal(made.status, 201, made.text);
  await service.runJobs();
  return made.json;
}

async function slipsOf(id: string, query = ''): Promise<Buffer> {
  const answer = await fetch(`${service.url}/instalments/${id}/slips.pdf${query}`);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/pdf']);
  return Buffer.from(await answer.arrayBuffer());
}

/** A third of a page, counted from the top: what is left after the cut. */
function slipIn({ width, height, rgba }: Picture, position: number): Picture {
  const rows = Math.floor(height / SLIPS_ON_A_PAGE);
  return { width, height: rows, rgba: rgba.slice(position * rows * width * 4, (position + 1) * rows * width * 4) };
}

/** Left of the vertical cut, the stub; right of it, what the bank keeps. */
function columnsOf({ width, height, rgba }: Picture, from: number, to: number): Picture {
  const [left, right] = [Math.floor(width * from), Math.floor(width * to)];
  const columns = right - left;
  const part = new Uint8ClampedArray(columns * height * 4);
  for (let y = 0; y < height; y++) {
    part.set(rgba.subarray((y * width + left) * 4, (y * width + right) * 4), y * columns * 4);
  }
  return { width: columns, height, rgba: part };
}

test('three slips a page, each with bars and a pix code that are read from its picture', async () => {
  const { id, charges } = await create();
  const file = await slipsOf(id);
  const pages = await pdfPictures(file, DPI);
  assert.equal(pages.length, 2);
  for (const [index, { boleto, pix }] of charges.entries()) {
    const slip = slipIn(pages[Math.floor(index / SLIPS_ON_A_PAGE)]!, index % SLIPS_ON_A_PAGE);
    assert.equal(readInterleaved2of5(columnsOf(slip, 0.24, 1), 44), boleto.barcode, `bars of ${index + 1}`);
    assert.equal(readQr(columnsOf(slip, 0, 0.24)), pix.emv, `code of ${index + 1}`);
  }
  const text = (await pdfText(file)).replaceAll('\0', '');
  for (const words of [
    '1/5',
    '5/5',
    '31/12/2026',
    '28/02/2027',
    '200,00',
    'Maria da Conceição Araújo',
    '529.982.247-25',
  ]) {
    assert.ok(text.includes(words), words);
  }
  const digits = text.replaceAll(/[^0-9\n]/g, '');
  for (const { boleto } of charges) assert.ok(digits.includes(boleto.digitableLine), boleto.digitableLine);
  assert.deepEqual(await slipsOf(id), file, 'the same bytes again');
});

test('one boleto a page where that is asked for, and what was paid is not printed again', async () => {
  const { id, charges } = await create({ count: 3 });
  const paid = await service.post(`/sandbox/charges/${charges[0]!.id}/pay`, { method: 'pix' });
  assert.equal(paid.status, 200, paid.text);
  await service.runJobs();
  const pages = await pdfPictures(await slipsOf(id, '?perPage=1'), PAGE_DPI);
  assert.deepEqual(
    pages.map(page => readInterleaved2of5(page, 44)),
    charges.slice(1).map(({ boleto }) => boleto.barcode),
  );
});

test('a plan without a boleto that can be paid has no slips', async () => {
  const pixOnly = await create({ methods: ['pix'] });
  assert.equal((await service.get(`/instalments/${pixOnly.id}/slips.pdf`)).status, 404);
  const canceled = await create();
  await service.post(`/instalments/${canceled.id}/cancel`, {});
  const refused = await service.get(`/instalments/${canceled.id}/slips.pdf`);
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
  assert.equal((await service.get(`/instalments/${canceled.id}/slips.pdf?perPage=2`)).status, 400);
});
