// Sicoob's files of payments: read with the names of its document and of its example; anything else is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barcodeOfLine, boletoBarcode, digitableLine } from '@trilho/cnab';
import { zipOne } from '../../../packages/psp/src/titles/zip.ts';
import { BOLETO_API_PROFILES, boletoApiOf } from '../../../src/rails/boleto-apis/apis.ts';
import { boletoProfileOf } from '../../../src/rails/boleto-apis/profile.ts';
import { listIn, receiptsIn } from '../../../src/rails/boleto-apis/sicoob/movements.ts';
import { apiNumber, ownNumber } from '../../../src/rails/boleto-apis/sicoob/number.ts';
import { unzipOne } from '../../../src/rails/boleto-apis/sicoob/zip.ts';

const ACCOUNT = { agency: '4327', beneficiaryCode: '42971', carteira: '1', modality: '01' };
const NOW = new Date('2026-11-17T12:00:00Z');
const NUMBER = apiNumber(ACCOUNT, '0000042');

const asNamed = {
  numeroTitulo: NUMBER,
  seuNumero: '0000042',
  dataMovimentoLiquidacao: '2026-11-16T00:00:00-03:00',
  dataLiquidacao: '2026-11-15T00:00:00-03:00',
  dataPrevisaoCredito: '2026-11-17T00:00:00-03:00',
  valorLiquido: 85,
  valorTarifaMovimento: 1.5,
  idTipoOpFinanceira: 58,
};
const asShown = {
  numTitulo: NUMBER,
  descSeuNumero: '42',
  dataMovLiquidacao: '2026-11-16T00:00:00-03:00',
  dataLiquidacao: '2026-11-15T00:00:00-03:00',
  valorLiquido: 85,
  idTipoOpFinanceira: 212,
};

/** As in the file, where numbers are parsed as text. */
const listOf = (...rows: object[]) => {
  const file = zipOne('LIQUI.json', Buffer.from(JSON.stringify(rows)));
  const list = listIn(file.toString('base64'));
  assert(list);
  return list;
};
const read = (...rows: object[]) => receiptsIn(listOf(...rows), ACCOUNT, NOW);

test('a payment is read by the names of the document and by those of its example', () => {
  const { receipts, unreadable } = read(asNamed, asShown);
  assert.equal(unreadable, 0);
  const [named, shown] = receipts;
  assert.deepEqual([named?.requestReference, shown?.requestReference], ['0000042', '0000042']);
  assert.deepEqual([named?.amountCents, named?.feeCents, named?.creditDay], [8_500n, 150n, '2026-11-17']);
  assert.equal(named?.paidAt.toISOString(), '2026-11-16T02:59:59.000Z');
  assert.deepEqual([named?.isByPix, shown?.isByPix], [undefined, true]);
});

test('a code that pix and savings share counts as pix unless its description says otherwise', () => {
  const byPix = (message: string) => read({ ...asShown, tipoOpFinanceira: message }).receipts[0]?.isByPix;
  assert.deepEqual([byPix('07 - Via Pix'), byPix('PIX'), byPix('05 - Poupança')], [true, true, undefined]);
});

test('four decimals and a day without its zero are read', () => {
  const row = `[{"numTitulo":${NUMBER},"dataLiquidacao":"2026-11-7T00:00:00-03:00","valorLiquido":85.0000}]`;
  const list = listIn(zipOne('a', Buffer.from(row)).toString('base64'));
  const [receipt] = receiptsIn(list ?? [], ACCOUNT, NOW).receipts;
  assert.deepEqual(
    [receipt?.amountCents, receipt?.reference],
    [8_500n, `boleto 756 4327 0042971 ${NUMBER} 2026-11-07 8500`],
  );
});

test('an archive whose bytes were decoded as text is read, and anything else is refused', () => {
  const zip = zipOne('a', Buffer.from('[]'));
  assert.deepEqual(listIn(Buffer.from(zip.toString('latin1'), 'utf8').toString('base64')), []);
  for (const wrong of ['', 'no archive', 'PK\x05\x06', zip.subarray(0, -4).toString('latin1')]) {
    assert.equal(listIn(Buffer.from(wrong, 'latin1').toString('base64')), undefined);
  }
});

test('an archive that unpacks to more than the largest list is refused', () => {
  const zip = zipOne('a', Buffer.alloc(65 * 1024 * 1024));
  assert.ok(zip.length < 1024 * 1024);
  assert.equal(unzipOne(zip), undefined);
});

test('two equal payments are two, with the same references at each reading', () => {
  const references = () => read(asNamed, asNamed).receipts.map(({ reference }) => reference);
  const base = `boleto 756 4327 0042971 ${NUMBER} 2026-11-16 8500`;
  assert.deepEqual(references(), [base, `${base} 2`]);
  assert.deepEqual(references(), references());
});

test('a boleto of another program is not ours, and a row without money is no payment', () => {
  const stranger = { ...asNamed, seuNumero: 'NF 17' };
  const otherDigit = { ...asNamed, numeroTitulo: NUMBER + 1 };
  const { receipts, unreadable } = read(stranger, otherDigit, { ...asNamed, valorLiquido: 0 });
  assert.deepEqual(
    receipts.map(({ requestReference }) => requestReference),
    [undefined, undefined],
  );
  assert.equal(unreadable, 1);
});

test('a number goes to the bank with its check digit and comes back without', () => {
  for (const reference of ['0000001', '0000042', '1234567', '9999999']) {
    assert.equal(ownNumber(ACCOUNT, String(apiNumber(ACCOUNT, reference))), reference);
  }
  for (const wrong of ['', '7', 'x', '123456789', '00']) assert.equal(ownNumber(ACCOUNT, wrong), undefined);
});

test('a line is converted to its barcode only with correct check digits', () => {
  const freeField = '1432701004297100000424001'.slice(0, 25);
  const barcode = boletoBarcode({ bank: '756', dueDay: '2026-12-10', amountCents: 15_990n, freeField });
  const line = digitableLine(barcode);
  assert.equal(barcodeOfLine(line), barcode);
  for (let place = 0; place < line.length; place++) {
    const digit = String((Number(line[place]) + 1) % 10);
    assert.equal(barcodeOfLine(line.slice(0, place) + digit + line.slice(place + 1)), undefined, `digit ${place}`);
  }
  assert.equal(barcodeOfLine(''), undefined);
});

test('every profile of the settings has its data', () => {
  for (const name of BOLETO_API_PROFILES) {
    for (const environment of ['production', 'test'] as const) {
      assert.match(boletoProfileOf(boletoApiOf(name)!.profiles, environment).baseUrl, /^https:\/\//);
    }
  }
});

test('payments of two agreements are two, also with the same number, day and amount', () => {
  const list = listOf(asNamed);
  const [one] = receiptsIn(list, ACCOUNT, NOW).receipts;
  const [other] = receiptsIn(list, { ...ACCOUNT, beneficiaryCode: '42972' }, NOW).receipts;
  assert.notEqual(one?.reference, other?.reference);
});

test('equal payments in two files of one list are two, each with the same reference when the list is read again', () => {
  const readList = () => {
    const counts = new Map<string, number>();
    return [listOf(asNamed), listOf(asNamed)].flatMap(list => receiptsIn(list, ACCOUNT, NOW, counts).receipts);
  };
  const references = readList().map(({ reference }) => reference);
  assert.equal(new Set(references).size, 2);
  assert.deepEqual(
    readList().map(({ reference }) => reference),
    references,
  );
});
