import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isValidBoleto } from '@brazilian-utils/brazilian-utils';
import fc from 'fast-check';
import { CNAB_BANKS } from '../../../packages/cnab/src/banks.ts';
import type { BoletoAccount } from '../../../packages/cnab/src/boleto/account.ts';
import { boletoBarcode, digitableLine } from '../../../packages/cnab/src/boleto/barcode.ts';
import { isBarcodeByOracle, isBoletoByOracle } from '../../harness/oracles.ts';
import { PUBLISHED } from './published.ts';

const bankOf = (code: string) => CNAB_BANKS.get(code)?.boleto ?? assert.fail(`no bank ${code}`);

describe('published boletos', () => {
  for (const { bank: code, source, account, ourNumber, printed, freeField, barcode, line, ...slip } of PUBLISHED) {
    test(`bank ${code}, number ${ourNumber}, due ${slip.dueDay}, is as in ${source}`, () => {
      const bank = bankOf(code);
      assert.deepEqual(bank.checkAccount(account), []);
      assert.equal(bank.freeField(account, ourNumber), freeField);
      assert.equal(boletoBarcode({ bank: code, freeField, ...slip }), barcode);
      assert.equal(digitableLine(barcode), line);
      if (printed !== undefined) assert.equal(bank.formatOurNumber(account, ourNumber), printed);
    });
  }

  test('each bank but the sandbox has at least two published boletos', () => {
    for (const code of CNAB_BANKS.keys()) {
      const found = PUBLISHED.filter(({ bank }) => bank === code).length;
      assert.ok(code === '999' || found >= 2, `bank ${code} has ${found}`);
    }
  });
});

const digit = fc.constantFrom(...'0123456789');
const digits = (length: number) => fc.string({ unit: digit, minLength: length, maxLength: length });

/** Accounts that each bank should accept. Itaú's wallets are drawn from those of its common layout. */
const ACCOUNTS: { readonly [code: string]: fc.Arbitrary<BoletoAccount> } = {
  '001': fc
    .constantFrom(4, 6, 7)
    .chain(length =>
      fc.record({ agency: digits(4), accountNumber: digits(8), carteira: digits(2), beneficiaryCode: digits(length) }),
    ),
  '033': fc.record({ beneficiaryCode: digits(7), carteira: digits(3) }),
  '104': fc.record({
    beneficiaryCode: fc.oneof(digits(6), fc.integer({ min: 1_100_000, max: 9_999_999 }).map(String)),
  }),
  '237': fc.record({ agency: digits(4), accountNumber: digits(7), carteira: digits(2) }),
  '341': fc.record({
    agency: digits(4),
    accountNumber: digits(5),
    carteira: fc.constantFrom('109', '110', '112', '126', '168', '175'),
  }),
  '756': fc.record({ agency: digits(4), beneficiaryCode: digits(7), carteira: digits(1), modality: digits(2) }),
  '999': fc.constant({}),
};

describe('every boleto of every account', () => {
  for (const [code, { boleto: bank }] of CNAB_BANKS) {
    const slip = (ACCOUNTS[code] ?? assert.fail(`no accounts for ${code}`)).chain(account => {
      const ourNumber = fc.bigInt(1n, 10n ** BigInt(bank.ourNumberDigits(account)) - 1n).map(String);
      return fc.record({
        account: fc.constant(account),
        ourNumber,
        other: ourNumber,
        amountCents: fc.bigInt(1n, 9_999_999_999n),
      });
    });

    test(`of bank ${code} is accepted by two independent validators`, () => {
      fc.assert(
        fc.property(slip, ({ account, ourNumber, amountCents }) => {
          const freeField = bank.freeField(account, ourNumber);
          const barcode = boletoBarcode({ bank: code, dueDay: '2026-12-10', amountCents, freeField });
          const line = digitableLine(barcode);
          assert.ok(isValidBoleto(line), line);
          assert.ok(isBoletoByOracle(line), line);
          assert.ok(isBarcodeByOracle(barcode), barcode);
        }),
        { numRuns: 300 },
      );
    });

    test(`of bank ${code} has a free field of its own, and shows its number`, () => {
      fc.assert(
        fc.property(slip, ({ account, ourNumber, other }) => {
          fc.pre(ourNumber !== other);
          assert.notEqual(bank.freeField(account, ourNumber), bank.freeField(account, other));
          const padded = ourNumber.padStart(bank.ourNumberDigits(account), '0');
          assert.ok(bank.formatOurNumber(account, ourNumber).includes(padded));
        }),
        { numRuns: 300 },
      );
    });

    test(`of bank ${code} keeps its nosso número complete: one that is too long, or zero, is refused`, () => {
      fc.assert(
        fc.property(slip, ({ account }) => {
          const width = bank.ourNumberDigits(account);
          for (const wrong of ['', '0', '1x', '-1', '1'.padEnd(width + 1, '0')]) {
            assert.throws(() => bank.freeField(account, wrong), assert.AssertionError);
            assert.throws(() => bank.formatOurNumber(account, wrong), assert.AssertionError);
          }
        }),
        { numRuns: 20 },
      );
    });
  }
});

describe('check digits', () => {
  test('Banco do Brasil writes ten as X', () => {
    // The digits of these eleven-digit numbers are those of brcobranca's tests of modulo 11.
    const account = { agency: '4042', accountNumber: '61900', carteira: '18' };
    const printed = (beneficiaryCode: string, ourNumber: string) =>
      bankOf('001').formatOurNumber({ ...account, beneficiaryCode }, ourNumber);
    assert.equal(printed('850680', '14982'), '85068014982-9');
    assert.equal(printed('0500', '9401448'), '05009401448-1');
    // 6 × 2 is 12, whose rest of 1 leaves ten.
    assert.equal(printed('000000', '6'), '00000000006-X');
  });

  test('Bradesco writes ten as P and eleven as 0', () => {
    const account = { agency: '1234', accountNumber: '123456', carteira: '00' };
    assert.equal(bankOf('237').formatOurNumber(account, '6'), '00/00000000006-P');
    assert.equal(bankOf('237').formatOurNumber(account, '14'), '00/00000000014-0');
  });

  test('Itaú leaves agency and account out of the check digit of some wallets', () => {
    // 126 and 12345678, doubled from the right by turns: 7 + 7 + 3 + 5 + 8 + 3 + 4 + 1 + 3 + 2 + 2 is 45.
    const account = { agency: '0057', accountNumber: '12345', carteira: '126' };
    assert.equal(bankOf('341').formatOurNumber(account, '12345678'), '126/12345678-5');
    assert.equal(bankOf('341').freeField(account, '12345678'), '1261234567850057123457000');
    assert.equal(bankOf('341').formatOurNumber({ ...account, carteira: '112' }, '223346'), '112/00223346-1');
  });

  test('Caixa spreads the nosso número over the free field', () => {
    assert.equal(
      bankOf('104').freeField({ beneficiaryCode: '123456' }, '123456789012345').slice(7, 24),
      ['123', '1', '456', '4', '789012345'].join(''),
    );
  });

  test('Caixa writes a code of seven digits in place of six and their check digit', () => {
    assert.equal(bankOf('104').freeField({ beneficiaryCode: '1100000' }, '6').slice(0, 7), '1100000');
    assert.equal(bankOf('104').freeField({ beneficiaryCode: '123456' }, '6').slice(0, 7), '1234560');
  });
});

describe('an account that a layout cannot hold', () => {
  const problems = (code: string, account: BoletoAccount) =>
    bankOf(code)
      .checkAccount(account)
      .map(({ field, message }) => `${field} ${message}`);

  test('has every invalid field named at once', () => {
    assert.deepEqual(problems('237', { agency: '12345', accountNumber: '12-3' }), [
      'agency must be 1 to 4 digits',
      'accountNumber must be 1 to 7 digits',
      'carteira is required',
    ]);
  });

  test('may omit the leading zeros of a number, not of a code', () => {
    assert.deepEqual(problems('237', { agency: '1', accountNumber: '1', carteira: '9' }), [
      'carteira must be 2 digits',
    ]);
    assert.deepEqual(problems('756', { agency: '1', beneficiaryCode: '1', carteira: '1', modality: '1' }), [
      'modality must be 2 digits',
    ]);
  });

  test('of Banco do Brasil has an agreement number of a length without layout', () => {
    assert.deepEqual(problems('001', { carteira: '17', beneficiaryCode: '12345' }), [
      'beneficiaryCode must be 4, 6 or 7 digits',
    ]);
    assert.deepEqual(problems('001', { carteira: '17', beneficiaryCode: '123456' }), [
      'agency is required',
      'accountNumber is required',
    ]);
  });

  test('of Caixa has a code with its check digit', () => {
    assert.equal(problems('104', { beneficiaryCode: '0123456' }).length, 1);
  });

  test('of Itaú has another layout, or the digit of another account', () => {
    const account = { agency: '0810', accountNumber: '53678', carteira: '175' };
    assert.deepEqual(problems('341', { ...account, accountDigit: '9' }), []);
    assert.deepEqual(problems('341', { ...account, accountDigit: '8' }), [
      'accountDigit does not belong to this agency and account number',
    ]);
    assert.match(problems('341', { ...account, carteira: '196' }).join(), /^carteira .*document number/);
    assert.deepEqual(problems('341', { ...account, carteira: '112' }), []);
  });

  test('never becomes a barcode', () => {
    const account = { agency: '0810', accountNumber: '53678', carteira: '196' };
    assert.throws(() => bankOf('341').freeField(account, '1'), assert.AssertionError);
    assert.throws(() => bankOf('341').formatOurNumber(account, '1'), assert.AssertionError);
  });
});
