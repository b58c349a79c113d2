import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { taxWarnings } from '../../src/charges/create/lint.ts';

const payableCents = 15_990n;

test('customary fine and interest get no warning', () => {
  assert.deepEqual(taxWarnings({ payableCents }), []);
  assert.deepEqual(taxWarnings({ payableCents, finePercent: '2', interestPercent: '1' }), []);
  assert.deepEqual(taxWarnings({ payableCents, finePercent: '2.00', interestPercent: '0.99999999999999999999' }), []);
  assert.deepEqual(taxWarnings({ payableCents, finePercent: '0', interestPercent: '0.0' }), []);
});

test('a fine above 2 % and interest above 1 % a month are above legal custom', () => {
  assert.deepEqual(taxWarnings({ payableCents, finePercent: '10', interestPercent: '3.5' }), [
    {
      path: 'taxes.fine',
      code: 'above_legal_custom',
      message: '10 % is above the 2 % of legal custom (Lei 8.078/1990, art. 52): BRL 15.99 on BRL 159.90',
    },
    {
      path: 'taxes.interest',
      code: 'above_legal_custom',
      message: '3.5 % a month is above the 1 % a month of legal custom: BRL 5.59 a month on BRL 159.90',
    },
  ]);
});

test('anything above custom gets a warning', () => {
  const [fine, interest] = taxWarnings({
    payableCents,
    finePercent: '2.00000000000000000001',
    interestPercent: '1.00000000000000000001',
  });
  assert.equal(fine?.code, 'above_legal_custom');
  assert.equal(interest?.code, 'above_legal_custom');
});

test('a percent that looks like basis points is explained with its meaning for this charge', () => {
  assert.deepEqual(taxWarnings({ payableCents, finePercent: '200', interestPercent: '100' }), [
    {
      path: 'taxes.fine',
      code: 'looks_like_basis_points',
      message: '200 means 200 % of BRL 159.90, that is BRL 319.80; for 2 % send 2',
    },
    {
      path: 'taxes.interest',
      code: 'looks_like_basis_points',
      message: '100 means 100 % a month of BRL 159.90, that is BRL 159.90 a month; for 1 % a month send 1',
    },
  ]);
});

test('from 20 % on a percent looks like basis points', () => {
  const codeOf = (finePercent: string) => taxWarnings({ payableCents, finePercent })[0]?.code;
  assert.equal(codeOf('19.99999999999999999999'), 'above_legal_custom');
  assert.equal(codeOf('20'), 'looks_like_basis_points');
  assert.equal(codeOf('020.0'), 'looks_like_basis_points');
});

test('the advice is a hundredth of it, or the custom if a hundredth is no better', () => {
  const adviceOf = (finePercent: string) => taxWarnings({ payableCents, finePercent })[0]?.message.replace(/^.*; /, '');
  assert.equal(adviceOf('20'), 'for 0.2 % send 0.2');
  assert.equal(adviceOf('33.5'), 'for 0.335 % send 0.335');
  assert.equal(adviceOf('1999'), 'for 19.99 % send 19.99');
  assert.equal(adviceOf('2000'), 'for 2 % send 2');
  assert.equal(adviceOf('1000000'), 'for 2 % send 2');
});

test('small amounts keep their cents', () => {
  const [warning] = taxWarnings({ payableCents: 5n, finePercent: '50' });
  assert.equal(warning?.message, '50 means 50 % of BRL 0.05, that is BRL 0.02; for 0.5 % send 0.5');
});

test('text that is no percent is an error of the caller', () => {
  for (const finePercent of ['', '-1', '1e3', '.5', '1.', '1,5', 'NaN', '1\n']) {
    assert.throws(() => taxWarnings({ payableCents, finePercent }), RangeError, JSON.stringify(finePercent));
  }
});

test('there is one warning for each percent above custom, and no other', () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.nat(5_000), fc.bigInt(1n, 10n ** 12n), (fine, interest, cents) => {
      const asPercent = (hundredths: number) =>
        `${Math.floor(hundredths / 100)}.${String(hundredths % 100).padStart(2, '0')}`;
      const warnings = taxWarnings({
        payableCents: cents,
        finePercent: asPercent(fine),
        interestPercent: asPercent(interest),
      });
      const expected = [...(fine > 200 ? ['taxes.fine'] : []), ...(interest > 100 ? ['taxes.interest'] : [])];
      assert.deepEqual(
        warnings.map(({ path }) => path),
        expected,
      );
    }),
  );
});
