import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boletoBarcode, MAX_BOLETO_CENTS } from '@trilho/cnab';
import fc from 'fast-check';
import type { BoletoSlip } from '../../src/web/boleto/slip.ts';
import { boletoPdf } from '../../src/web/boleto-pdf.ts';
import { lightAt, type Picture, pdfPage, pdfText, qrSide, readInterleaved2of5, readQr } from '../harness/pictures.ts';
import { scaled } from '../harness/scale.ts';
import { slipWith } from '../harness/slips.ts';

const DPI = 200;
const look = async (slip: BoletoSlip, dpi = DPI) => pdfPage(await boletoPdf(slip), dpi);
const seen = new Map<BoletoSlip, ReturnType<typeof look>>();
/** Rendered once for all tests. */
function lookOnce(slip: BoletoSlip): ReturnType<typeof look> {
  const found = seen.get(slip) ?? look(slip);
  seen.set(slip, found);
  return found;
}
/** As drawn, one string per line. */
const linesOf = async (slip: BoletoSlip) =>
  (await pdfText(await boletoPdf(slip))).replaceAll('\r\n', '\n').replaceAll('\0', '').split('\n');

function withoutPix(slip: BoletoSlip): BoletoSlip {
  const { pixEmv: _, ...rest } = slip;
  return rest;
}

const LONG = 'Associação Beneficente dos Trabalhadores em Transportes Rodoviários de Itaquaquecetuba e Região '.repeat(
  3,
);
const LONG_ADDRESS = {
  street: LONG,
  number: '9'.repeat(255),
  complement: LONG,
  neighborhood: LONG,
  city: 'W'.repeat(255),
  state: LONG,
  postalCode: '01310100',
  countryCode: 'BR',
};
const LONGEST = slipWith({
  bankName: LONG,
  barcode: boletoBarcode({
    bank: '748',
    dueDay: '2049-10-13',
    amountCents: MAX_BOLETO_CENTS,
    freeField: '9'.repeat(25),
  }),
  ourNumber: '9'.repeat(25),
  carteira: '123/4567',
  documentNumber: 'W'.repeat(255),
  dueDay: '2049-10-13',
  lastPayableDay: '2049-11-13',
  amountCents: MAX_BOLETO_CENTS,
  finePercent: '2.12345678901234567890',
  interestPercent: '1.12345678901234567890',
  abatementCents: MAX_BOLETO_CENTS - 1n,
  discounts: ['2049-10-01', '2049-10-05', '2049-10-13'].map(until => ({ amountCents: MAX_BOLETO_CENTS, until })),
  checkoutUrl: `https://${'w'.repeat(255)}.example`,
  beneficiary: {
    name: LONG,
    document: '12ABC34501DE35',
    agency: '99999-9',
    code: '9'.repeat(40),
    address: LONG_ADDRESS,
  },
  payer: { name: 'W'.repeat(255), document: '12ABC34501DE35', address: LONG_ADDRESS },
  pixEmv: slipWith().pixEmv!.padEnd(512, 'Ab9.'),
});

const USUAL = slipWith();
/** The first tier has the first two. */
const SLIPS = {
  'a usual slip': USUAL,
  'the longest slip': LONGEST,
  'a live slip without pix': withoutPix(slipWith({ sandbox: false, bankName: 'Banco do Brasil' })),
  'a slip for a payer without an address': slipWith({ payer: { name: 'Jo', document: '52998224725' } }),
};

for (const [name, slip] of Object.entries(SLIPS).slice(0, scaled(4, 2))) {
  test(`${name} is one page whose bars and QR code are read from its picture`, async () => {
    const { picture, pages } = await lookOnce(slip);
    assert.equal(pages, 1);
    assert.equal(readInterleaved2of5(picture, 44), slip.barcode);
    assert.equal(readQr(upperPart(picture)), slip.pixEmv);
  });
}

/** The QR code is above the cut line; a phone is held there, not over the complete sheet. */
function upperPart({ width, height, rgba }: Picture): Picture {
  const rows = Math.floor(height * 0.6);
  return { width, height: rows, rgba: rgba.slice(0, rows * width * 4) };
}

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map(list => list.join(''));

test('the bars of any barcode are read from the picture', async () => {
  await fc.assert(
    fc.asyncProperty(digits(3), fc.bigInt(1n, MAX_BOLETO_CENTS), digits(25), async (bank, amountCents, freeField) => {
      const barcode = boletoBarcode({ bank, dueDay: '2026-12-10', amountCents, freeField });
      const { picture } = await look(slipWith({ barcode, amountCents }));
      assert.equal(readInterleaved2of5(picture, 44), barcode);
    }),
    { numRuns: scaled(10, 2) },
  );
});

test('the bars are 103 mm by 13 mm, with their middle 12 mm above the foot of the sheet', async () => {
  const dpi = 300;
  const { picture } = await look(slipWith(), dpi);
  const { width, height } = picture;
  const mm = (pixels: number) => (pixels / dpi) * 25.4;
  const isDark = (x: number, y: number) => lightAt(picture, x, y) < 128;
  const middle = Math.round(height - (12 / 25.4) * dpi);
  const across = Array.from({ length: width }, (_, x) => x).filter(x => isDark(x, middle));
  const [left, right] = [across[0]!, across.at(-1)!];
  assert.ok(Math.abs(mm(right - left + 1) - 103) < 0.3, `${mm(right - left + 1)} mm wide`);
  assert.ok(mm(left) >= 5, 'a quiet zone of 5 mm');
  let [top, bottom] = [middle, middle];
  while (isDark(left + 1, top - 1)) top--;
  while (isDark(left + 1, bottom + 1)) bottom++;
  assert.ok(Math.abs(mm(bottom - top + 1) - 13) < 0.3, `${mm(bottom - top + 1)} mm high`);
  assert.ok(Math.abs(mm(height - (top + bottom) / 2) - 12) < 0.3, 'the middle of the bars');
});

test('the QR code is large enough for an unsteady hand', async () => {
  const side = qrSide(upperPart((await lookOnce(USUAL)).picture));
  assert.ok((side / DPI) * 25.4 > 34, `${(side / DPI) * 25.4} mm`);
});

test('both halves have the required texts, in Portuguese', async () => {
  const lines = await linesOf(slipWith());
  const [receipt, compensation] = halves(lines);
  for (const half of [receipt, compensation]) {
    for (const text of [
      '99991.76325 74800.240983 95153.362157 5 16560000015990',
      'Padaria São João Ltda.',
      '12.ABC.345/01DE-35',
      'Maria da Conceição Araújo',
      '529.982.247-25',
      'Rua das Acácias, 42 - apto. 31 - Jardim América',
      'CEP 14020-260 - Ribeirão Preto/SP',
      '10/12/2026',
      '16/11/2026',
      '159,90',
      '1763274800240989515336215',
      'pedido-1042',
      '0001 / 0000042',
      '999-7',
      'Banco Sandbox',
      'Após o vencimento cobrar multa de 2% e juros de 1% ao mês',
      'Não receber após 11/01/2027',
      'SANDBOX: este boleto não pode ser pago',
    ]) {
      assert.ok(half.includes(text), `${text} is missing in:\n${half}`);
    }
  }
  assert.ok(receipt.includes('Recibo do pagador'));
  assert.ok(receipt.includes('Pague também com Pix'));
  for (const label of [
    'Ficha de compensação',
    'Local de pagamento\nPagável em qualquer banco',
    'Agência/Código do beneficiário',
    'Espécie doc.\nDM',
    'Aceite\nN',
    'Data do processamento\n17/11/2026',
    'Carteira\n17',
    'Espécie\nR$',
    'Quantidade',
    '(=) Valor do documento\n159,90',
    '(-) Desconto/Abatimento',
    '(+) Mora/Multa',
    '(=) Valor cobrado',
  ]) {
    assert.ok(compensation.includes(label), `${label} is missing in:\n${compensation}`);
  }
});

function halves(lines: readonly string[]): [receipt: string, compensation: string] {
  const cut = lines.indexOf('Corte na linha pontilhada');
  assert.ok(cut > 0);
  return [lines.slice(0, cut).join('\n'), lines.slice(cut + 1).join('\n')];
}

test('only a sandbox slip says that it cannot be paid, and only one with pix mentions pix', async () => {
  const text = (await linesOf(withoutPix(slipWith({ sandbox: false })))).join('\n');
  assert.doesNotMatch(text, /sandbox:|pix/i);
});

const AMOUNTS = {
  '0,01': 1n,
  '0,10': 10n,
  '1,00': 100n,
  '999,99': 99_999n,
  '1.234,56': 123_456n,
  '99.999.999,99': MAX_BOLETO_CENTS,
};
for (const [written, amountCents] of Object.entries(AMOUNTS)) {
  test(`${amountCents} cents are written ${written}`, async () => {
    const lines = await linesOf(slipWith({ amountCents }));
    assert.ok(lines.includes(written) && lines.includes(`R$ ${written}`), lines.join('\n'));
  });
}

const FEES: readonly [fees: Pick<BoletoSlip, 'finePercent' | 'interestPercent'>, sentence: string | undefined][] = [
  [{ finePercent: '2', interestPercent: '1' }, 'Após o vencimento cobrar multa de 2% e juros de 1% ao mês'],
  [{ finePercent: '2.50' }, 'Após o vencimento cobrar multa de 2,5%'],
  [{ interestPercent: '0.033' }, 'Após o vencimento cobrar juros de 0,033% ao mês'],
  [{ finePercent: '0', interestPercent: '1' }, 'Após o vencimento cobrar juros de 1% ao mês'],
  [{ finePercent: '0.00', interestPercent: '0' }, undefined],
  [{}, undefined],
];
for (const [fees, sentence] of FEES) {
  test(`fees ${JSON.stringify(fees)} are printed as: ${sentence ?? 'nothing'}`, async () => {
    const { finePercent: _, interestPercent: __, ...slip } = slipWith();
    const lines = await linesOf({ ...slip, ...fees });
    const sentences = lines.filter(line => line.startsWith('Após'));
    // One on each half.
    assert.deepEqual(sentences, sentence === undefined ? [] : [sentence, sentence]);
  });
}

test('a slip that cannot be paid late mentions no fees', async () => {
  const lines = await linesOf(slipWith({ lastPayableDay: '2026-12-10' }));
  assert.ok(lines.includes('Não receber após o vencimento'));
  assert.ok(!lines.some(line => line.includes('multa')));
});

// As the banks print them; 748 and 085 have their own rule when the digit would be 10.
const BANKS = ['001-9', '033-7', '041-8', '077-9', '085-1', '104-0', '237-2', '341-7', '422-7', '748-X', '756-0'];
for (const written of [...BANKS, '999-7']) {
  test(`the bank's code is written ${written}`, async () => {
    const bank = written.slice(0, 3);
    const barcode = boletoBarcode({ bank, dueDay: '2026-12-10', amountCents: 1n, freeField: '1'.repeat(25) });
    assert.ok((await linesOf(slipWith({ barcode }))).join('\n').includes(` ${written}`));
  });
}

const NAMES = {
  'ação, São João, ç, ã, é': 'ação, São João, ç, ã, é',
  ['Ação decomposta'.normalize('NFD')]: 'Ação decomposta',
  'ÁÉÍÓÚ ÂÊÔ ÃÕ ÀÜÇÑ ªº «»': 'ÁÉÍÓÚ ÂÊÔ ÃÕ ÀÜÇÑ ªº «»',
  'Łukasz Đorđević Şahin Nguyễn': 'Lukasz Dordevic Sahin Nguyen',
  'Casa – “Flor” d’Água €5…': 'Casa – “Flor” d’Água €5…',
  'Bia 🎉👩‍👩‍👧 & Téo 🇧🇷': 'Bia & Téo',
  'ﬁm ｗｉｄｅ Ⅳ': 'fim wide IV',
  'line\nfeed\ttab\u0007bell': 'line feed tab bell',
  'soft\u00adhyphen zero\u200bwidth': 'softhyphen zerowidth',
  'Иван 王': '???? ?',
};
for (const [name, printed] of Object.entries(NAMES)) {
  test(`the name ${JSON.stringify(name)} is printed as ${printed}`, async () => {
    const lines = await linesOf(slipWith({ payer: { name, document: '52998224725' } }));
    assert.equal(lines.filter(line => line === printed).length, 2, lines.join('\n'));
  });
}

test('no text crashes the page', async () => {
  const anything = fc.string({ unit: 'binary', maxLength: 255 });
  await fc.assert(
    fc.asyncProperty(anything, anything, anything, async (name, street, city) => {
      const payer = { name, document: '52998224725', address: { street, city } };
      assert.equal((await look(slipWith({ payer, bankName: name, documentNumber: street }), 20)).pages, 1);
    }),
    { numRuns: scaled(25, 3) },
  );
});

test('no text, however long, crosses a rule or leaves the margins', async () => {
  const [blank, full] = [(await look(BLANK)).picture, (await lookOnce(LONGEST)).picture];
  const rules = verticalRules(blank);
  assert.ok(rules.length > 20, 'the walk sees the rules');
  for (const { x, from, to } of rules) {
    for (let y = from; y < to; y++) {
      for (const beside of [x - 2, x + 3]) {
        const dark = lightAt(full, beside, y) < 128 && lightAt(blank, beside, y) >= 128;
        assert.ok(!dark, `text beside the rule at ${x}, ${y}`);
      }
    }
  }
  const margin = Math.floor((9.5 / 25.4) * DPI);
  for (let y = 0; y < full.height; y++) {
    for (let x = 0; x < margin; x++) {
      assert.ok(lightAt(full, x, y) > 250 && lightAt(full, full.width - 1 - x, y) > 250, `ink in the margin at ${y}`);
    }
  }
});

/** The grid of the longest slip with almost no text. */
const BLANK: BoletoSlip = {
  ...LONGEST,
  bankName: '',
  ourNumber: '',
  carteira: '',
  documentNumber: '',
  beneficiary: {
    name: '',
    document: '12ABC34501DE35',
    agency: '',
    code: '',
    address: { street: '-', city: '-' },
  },
  payer: { name: '', document: '12ABC34501DE35' },
};

type Rule = { readonly x: number; readonly from: number; readonly to: number };

/** Dark columns at least 5 mm high that have white on both sides: the rules, and not the bars. */
function verticalRules(picture: Picture): Rule[] {
  const least = (5 / 25.4) * DPI;
  const sheet = Math.floor(picture.height * 0.93);
  const rules: Rule[] = [];
  for (let x = 3; x < picture.width - 4; x++) {
    let from = 0;
    for (let y = 0; y <= sheet; y++) {
      const isRule = y < sheet && lightAt(picture, x, y) < 200 && lightAt(picture, x - 1, y) >= 200;
      if (isRule) continue;
      if (y - from >= least) rules.push({ x, from, to: y });
      from = y + 1;
    }
  }
  return rules;
}

test('the same slip gives the same bytes, dated by its document', async () => {
  const [first, second] = [await boletoPdf(slipWith()), await boletoPdf(slipWith())];
  assert.deepEqual(first, second);
  assert.ok(first.includes('(D:20261116120000Z)'));
  assert.notDeepEqual(first, await boletoPdf(slipWith({ payer: { name: 'Outra', document: '52998224725' } })));
});

test('a barcode that is not 44 digits is refused', async () => {
  await assert.rejects(boletoPdf(slipWith({ barcode: '999' })));
});

test('what is taken off stands in its box and among the instructions', async () => {
  const text = (changes: Partial<BoletoSlip>) => linesOf(slipWith(changes));
  const dated = await text({
    abatementCents: 345n,
    discounts: [
      { amountCents: 1_000n, until: '2026-11-30' },
      { amountCents: 50n, until: '2026-12-10' },
    ],
  });
  assert.ok(dated.includes('Conceder abatimento de R$ 3,45'), dated.join('\n'));
  assert.ok(dated.includes('Conceder desconto de R$ 10,00 até 30/11/2026, R$ 0,50 até 10/12/2026'));
  assert.ok(dated.includes('3,45'), 'in the box «(-) Desconto/Abatimento»');
  const copies = dated.filter(line => line === 'Conceder desconto de R$ 10,00 até 30/11/2026, R$ 0,50 até 10/12/2026');
  assert.equal(copies.length, 2, "on the payer's half and on the bank's");
  const perDay = await text({ discounts: [{ percent: '0.15', perDay: 'banking' }] });
  assert.ok(perDay.includes('Conceder desconto de 0,15% por dia útil de antecipação'));
});
