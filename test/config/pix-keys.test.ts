// The pix key that charges are paid to: its kind is unambiguous, or it is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readConfig } from '../../src/config/config.ts';
import { faultsOf } from '../harness/config-faults.ts';

const withKey = (key: string) => ({
  TRILHO_MODE: 'live',
  TRILHO_PIX_KEY: key,
  TRILHO_PIX_NAME: 'A',
  TRILHO_PIX_CITY: 'B',
});
const read = (key: string) => {
  const { pixKey } = readConfig(withKey(key));
  return pixKey && [pixKey.key, pixKey.kind];
};

test('each of the five forms is recognised, and converted to the form of a BR Code', () => {
  const cases: Record<string, readonly [string, string]> = {
    '529.982.247-25': ['52998224725', 'CPF'],
    '12345678909': ['12345678909', 'CPF'],
    // Valid as a CPF and possible as a phone number: the notation decides.
    '519.982.597-65': ['51998259765', 'CPF'],
    '+5551998259765': ['+5551998259765', 'phone number'],
    '00.000.000/0001-91': ['00000000000191', 'CNPJ'],
    '12ABC34501DE35': ['12ABC34501DE35', 'CNPJ'],
    '12.abc.345/01de-35': ['12ABC34501DE35', 'CNPJ'],
    Q0SLFMBD7VX439: ['Q0SLFMBD7VX439', 'CNPJ'],
    'Caixa@Example.com': ['caixa@example.com', 'e-mail address'],
    '+55 (11) 98765-4321': ['+5511987654321', 'phone number'],
    '123E4567-e12b-12d1-a456-426655440000': ['123e4567-e12b-12d1-a456-426655440000', 'random key'],
  };
  for (const [key, expected] of Object.entries(cases)) assert.deepEqual(read(key), expected, key);
});

test('any other text is refused with the five forms named, and not repeated', () => {
  const cases = [
    '119.876.543-75',
    '11987654375',
    '(11) 98765-4321',
    '5511987654321',
    '005511987654321',
    '+551133334444',
    '12ABC34501DE36',
    '56989000019533',
    '00000000000000',
    '123e4567e12b12d1a456426655440000',
    'caixa@',
  ];
  for (const key of cases) {
    const [fault = '', ...others] = faultsOf(withKey(key));
    assert.deepEqual(others, []);
    assert.match(fault, /^TRILHO_PIX_KEY must be .*CPF.*CNPJ.*e-mail.*\+55.*random key/);
    assert.ok(!fault.includes(key), key);
  }
});

test('bare digits that are a CPF and could be a phone number are refused', () => {
  assert.deepEqual(faultsOf(withKey('51998259765')), [
    'TRILHO_PIX_KEY could be a CPF or a phone number: write 000.000.000-00 or +5500000000000.',
  ]);
});

test('a CPF with a wrong digit is never taken for a key of another kind', () => {
  const digitOf = (digits: readonly number[]) => {
    const rest = digits.reduce((sum, digit, place) => sum + digit * (digits.length + 1 - place), 0) % 11;
    return rest < 2 ? 0 : 11 - rest;
  };
  const completed = (base: readonly number[]) => {
    const first = digitOf(base);
    return [...base, first, digitOf([...base, first])];
  };
  const nine = fc.array(fc.nat({ max: 9 }), { minLength: 9, maxLength: 9 });
  fc.assert(
    fc.property(nine, fc.nat({ max: 10 }), fc.integer({ min: 1, max: 9 }), fc.boolean(), (base, place, by, masked) => {
      const right = completed(base);
      const digits = right.map((digit, at) => (at === place ? (digit + by) % 10 : digit));
      // The remainders 0 and 1 share a check digit, so a few wrong digits give another valid CPF.
      fc.pre(String(completed(digits.slice(0, 9))) !== String(digits));
      const wrong = digits.join('');
      const written = masked ? wrong.replace(/^(...)(...)(...)(..)$/, '$1.$2.$3-$4') : wrong;
      assert.equal(faultsOf(withKey(written)).length, 1, written);
    }),
    { numRuns: 2_000 },
  );
});
