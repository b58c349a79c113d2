// Amounts, dates and pix ids, one by one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { centsOf, MAX_AMOUNT_CENTS } from '../../../src/rails/statement/amount.ts';
import { areOfTwoPayers, payerDocumentIn } from '../../../src/rails/statement/payer-document.ts';
import { endToEndIdIn, txidAsId, txidIn, txidInColumn } from '../../../src/rails/statement/pix-ids.ts';
import { csvPosted, ofxPosted } from '../../../src/rails/statement/posted.ts';
import { groupedAmount, plainAmount } from './write-statement.ts';

test('an amount is read in every way that banks print it', () => {
  const cases: Record<string, bigint> = {
    '1.234,56': 123_456n,
    '1234.56': 123_456n,
    '1,234.56': 123_456n,
    '-1.234,56': -123_456n,
    '−10,00': -1_000n,
    '10,00-': -1_000n,
    '(10,00)': -1_000n,
    'R$ 10,00': 1_000n,
    'R$\u00a010,00': 1_000n,
    '-R$ 10,00': -1_000n,
    'R$ -10,00': -1_000n,
    '+10.00': 1_000n,
    '10,00 C': 1_000n,
    '10,00 D': -1_000n,
    '10,00d': -1_000n,
    '-10,00 D': -1_000n,
    '10': 1_000n,
    '10,5': 1_050n,
    ',50': 50n,
    '0.500': 50n,
    '1234.500': 123_450n,
    '10.0000': 1_000n,
    '1.234.567': 123_456_700n,
    '1.234.567,8': 123_456_780n,
    '6000.000,00': 600_000_000n,
    '6,000,000.00': 600_000_000n,
    '-0,00': 0n,
    '9999999999999.99': MAX_AMOUNT_CENTS,
  };
  for (const [text, cents] of Object.entries(cases)) assert.equal(centsOf(text), cents, text);
});

test('an ambiguous or invalid amount is not read', () => {
  const cases = [
    '',
    '-',
    'R$',
    '.',
    ',',
    '1.234',
    '1,234',
    '100.000',
    '10.005',
    '1.23.456',
    '1.234,56,78',
    '1,23,456.00',
    '6000.00,00',
    '12.34,56',
    '10 00',
    '--10',
    '-10-',
    '-(10)',
    '(10',
    '10)',
    '-10,00 C',
    '+10,00 D',
    '1e3',
    '0x10',
    'NaN',
    'Infinity',
    'US$ 10,00',
    '10,00 X',
    '10000000000000,00',
    '9'.repeat(50),
    '١٠,٠٠',
  ];
  for (const text of cases) assert.equal(centsOf(text), undefined, text);
});

test('every amount is read back to the cent', () => {
  fc.assert(
    fc.property(fc.bigInt(-MAX_AMOUNT_CENTS, MAX_AMOUNT_CENTS), cents => {
      assert.equal(centsOf(plainAmount(cents, '.')), cents);
      assert.equal(centsOf(plainAmount(cents, ',')), cents);
      assert.equal(centsOf(`${cents < 0n ? '-' : ''}R$ ${groupedAmount(cents)}`), cents);
      assert.equal(centsOf(`${groupedAmount(cents)} ${cents < 0n ? 'D' : 'C'}`), cents);
    }),
    { numRuns: 2_000 },
  );
});

const posted = (day: string, at?: string) => (at === undefined ? { day } : { day, at: new Date(at) });

test('an OFX date gives the day as the bank wrote it, and the moment if it has one', () => {
  assert.deepEqual(ofxPosted('20261116'), posted('2026-11-16'));
  assert.deepEqual(ofxPosted('20261116120000[-3:BRT]'), posted('2026-11-16', '2026-11-16T15:00:00Z'));
  assert.deepEqual(ofxPosted('20261116233000[-03:EST]'), posted('2026-11-16', '2026-11-17T02:30:00Z'));
  assert.deepEqual(ofxPosted('20261116101112.345[-3]'), posted('2026-11-16', '2026-11-16T13:11:12.345Z'));
  assert.deepEqual(ofxPosted('202611161011'), posted('2026-11-16', '2026-11-16T13:11:00Z'));
});

test('midnight means only the day, even in UTC', () => {
  assert.deepEqual(ofxPosted('20261116000000'), posted('2026-11-16'));
  assert.deepEqual(ofxPosted('20261116000000[-3:BRT]'), posted('2026-11-16'));
  assert.deepEqual(ofxPosted('20261116000000[0:GMT]'), posted('2026-11-16'));
  assert.deepEqual(csvPosted('16/11/2026 00:00:00'), posted('2026-11-16'));
});

test("a time in UTC falls on São Paulo's day", () => {
  assert.deepEqual(ofxPosted('20261117013000[0:GMT]'), posted('2026-11-16', '2026-11-17T01:30:00Z'));
  assert.deepEqual(csvPosted('2026-11-17T01:30:00Z'), posted('2026-11-16', '2026-11-17T01:30:00Z'));
});

test("a time without a zone is São Paulo's, in its former summers too", () => {
  assert.deepEqual(csvPosted('16/11/2026 23:30'), posted('2026-11-16', '2026-11-17T02:30:00Z'));
  assert.deepEqual(ofxPosted('20180115233000'), posted('2018-01-15', '2018-01-16T01:30:00Z'));
});

test('a CSV date is read with the day or the year first', () => {
  assert.deepEqual(csvPosted('16/11/2026'), posted('2026-11-16'));
  assert.deepEqual(csvPosted('6/1/2026'), posted('2026-01-06'));
  assert.deepEqual(csvPosted('16/11/26'), posted('2026-11-16'));
  assert.deepEqual(csvPosted('16-11-2026'), posted('2026-11-16'));
  assert.deepEqual(csvPosted('2026-11-16'), posted('2026-11-16'));
  assert.deepEqual(csvPosted('20261116'), posted('2026-11-16'));
  assert.deepEqual(csvPosted('16/11/2026 às 12:03'), posted('2026-11-16', '2026-11-16T15:03:00Z'));
  assert.deepEqual(csvPosted('2026-11-16T12:03:04.5-03:00'), posted('2026-11-16', '2026-11-16T15:03:04.500Z'));
});

test('a date that does not exist is not read', () => {
  for (const text of ['', '20260229', '20261301', '20261116250000', '00001116', '20261116120000[-30:X]', '2026111']) {
    assert.equal(ofxPosted(text), undefined, text);
  }
  for (const text of [
    '29/02/2026',
    '11/16/2026',
    '00/00/0000',
    '2026-11-16T24:00',
    '16/11',
    'ontem',
    '16/11/2026 12h',
    '16112026',
    '20112026',
  ]) {
    assert.equal(csvPosted(text), undefined, text);
  }
});

const TXID = '03G7RM8Q2ZK5T1XW9B4C6D8F0';
const END_TO_END_ID = 'E99999999202611161503aBc12345678';

test('a txid is found inside other text, in any case, and returned in upper case', () => {
  assert.equal(txidIn(`PIX RECEBIDO ${TXID} LOJA`), TXID);
  assert.equal(txidIn(`Pix recebido/${TXID.toLowerCase()}`), TXID);
  assert.equal(txidIn(`txid:${TXID}.`), TXID);
  assert.equal(txidIn(`TXID${TXID}`), TXID);
  assert.equal(txidIn(`PIX-${TXID}-${END_TO_END_ID}`), TXID);
});

test('a longer or shorter run is no txid', () => {
  assert.equal(txidIn(`${TXID}1`), undefined);
  assert.equal(txidIn(TXID.slice(1)), undefined);
  assert.equal(txidIn(`PIX ${END_TO_END_ID}`), undefined);
  assert.equal(txidIn(''), undefined);
});

test('a run of letters and digits is preferred to a long word or number before it', () => {
  assert.equal(txidIn(`1234567890123456789012345 ${TXID}`), TXID);
  assert.equal(txidIn('1234567890123456789012345'), '1234567890123456789012345');
  assert.equal(txidAsId('1234567890123456789012345'), undefined);
  assert.equal(txidAsId(TXID.toLowerCase()), TXID);
});

test('a txid column holds 1 to 25 letters and digits; anything else is ignored', () => {
  assert.equal(txidInColumn('pedido42'), 'PEDIDO42');
  for (const value of ['', '***', 'a b', 'x'.repeat(26)]) assert.equal(txidInColumn(value), undefined, value);
});

test('an endToEndId keeps its case and must hold a time of day', () => {
  assert.equal(endToEndIdIn(`pix ${END_TO_END_ID};`), END_TO_END_ID);
  assert.equal(endToEndIdIn(END_TO_END_ID.replace('1503', '2560')), undefined);
  const ofLetters = `E1A2B3C4D${END_TO_END_ID.slice(9)}`;
  assert.equal(endToEndIdIn(`pix ${ofLetters};`), ofLetters, 'an institution with letters');
  assert.equal(endToEndIdIn(`${END_TO_END_ID}1`), undefined);
  assert.equal(endToEndIdIn(END_TO_END_ID.replace('E', 'D')), undefined);
});

test("a payer's document is read as far as a bank shows it, and other long numbers are ignored", () => {
  const cases: Record<string, string | undefined> = {
    'MARIA 529.982.247-25': '52998224725',
    'MARIA 52998224725': '52998224725',
    'Maria - •••.982.247-•• - Banco': '***982247**',
    'MARIA ***982247**': '***982247**',
    'MARIA XXX.982.247-XX': '***982247**',
    'LOJA 12.abc.345/01de-35': '12ABC34501DE35',
    'LOJA 00000000000191': '00000000000191',
    'PIX 52998224724': undefined,
    'PIX TRANSFERENCI12': undefined,
    'de 529.982.247-25 para 00.000.000/0001-91': undefined,
    PIX: undefined,
  };
  for (const [text, document] of Object.entries(cases)) assert.equal(payerDocumentIn(text), document, text);
});

test('two documents belong to two payers only if a shown digit differs', () => {
  assert.ok(!areOfTwoPayers('52998224725', '***982247**'));
  assert.ok(areOfTwoPayers('52998224725', '***982248**'));
  assert.ok(areOfTwoPayers('52998224725', '00000000000191'));
  assert.ok(!areOfTwoPayers(undefined, '52998224725'));
});
