import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isValidBoleto } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import { boletoBarcode, digitableLine, dueDateFactor, withDueDay } from '../../../packages/cnab/src/boleto/barcode.ts';
import { isBoletoByOracle } from '../../harness/oracles.ts';

// Barcodes and lines of three banks as published in the test suites of BoletoNetCore and brcobranca.
const PUBLISHED = [
  {
    bank: '001',
    dueDay: '2019-02-28',
    amountCents: 80_000n,
    freeField: '0000001234567000000000111',
    barcode: '00191781400000800000000001234567000000000111',
    line: '00190000090123456700400000001115178140000080000',
  },
  {
    bank: '001',
    dueDay: '2018-01-02',
    amountCents: 80_400n,
    freeField: '0000001234567000000032111',
    barcode: '00194739200000804000000001234567000000032111',
    line: '00190000090123456700400000321117473920000080400',
  },
] as const;

for (const { barcode, line, ...boleto } of PUBLISHED) {
  test(`the barcode and line of bank ${boleto.bank}, due ${boleto.dueDay}, are as published`, () => {
    assert.equal(boletoBarcode(boleto), barcode);
    assert.equal(digitableLine(barcode), line);
  });
}

test('the due-date factor begins again at 1000 on 2025-02-22', () => {
  assert.equal(dueDateFactor('2000-07-03'), 1000);
  assert.equal(dueDateFactor('2025-02-21'), 9999);
  assert.equal(dueDateFactor('2025-02-22'), 1000);
  assert.equal(dueDateFactor('2049-10-13'), 9999);
});

test('a day beyond four digits has no factor', () => {
  assert.equal(dueDateFactor('2000-07-02'), undefined);
  assert.equal(dueDateFactor('2049-10-14'), undefined);
});

const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map(list => list.join(''));

test('two independent validators accept every line', () => {
  const day = fc
    .date({ min: new Date('2000-07-03'), max: new Date('2049-10-13'), noInvalidDate: true })
    .map(date => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(digits(3), day, fc.bigInt(1n, 9_999_999_999n), digits(25), (bank, dueDay, amountCents, freeField) => {
      const line = digitableLine(boletoBarcode({ bank, dueDay, amountCents, freeField }));
      // A leading 8 marks another kind of slip (utilities), which validators read by other rules.
      fc.pre(!line.startsWith('8'));
      assert.ok(isValidBoleto(line), line);
      assert.ok(isBoletoByOracle(line), line);
    }),
    { numRuns: 2_000 },
  );
});

test('changing the due day of a barcode gives the barcode of the boleto made for that day', () => {
  const boleto = { bank: '756', amountCents: 15_990n, freeField: '1432701004297100000012001'.padEnd(25, '0') };
  const days = ['2026-12-10', '2026-12-30', '2024-02-29'] as const;
  for (const dueDay of days) {
    const barcode = boletoBarcode({ ...boleto, dueDay: '2026-11-30' });
    assert.equal(withDueDay(barcode, dueDay), boletoBarcode({ ...boleto, dueDay }));
  }
  assert.equal(withDueDay(boletoBarcode({ ...boleto, dueDay: '2026-11-30' }), '1990-01-01'), undefined);
});
