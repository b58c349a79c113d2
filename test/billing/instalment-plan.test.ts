// The rules of instalments: amounts that add up to the cent, and days that a short month does not shift.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkDivision,
  dueDays,
  equalAmounts,
  numbered,
  partsOf,
} from '../../src/billing/instalments/instalment-plan.ts';
import { randomOf } from '../harness/random.ts';

test('equal amounts add up to the sum, and the remainder is in the first', () => {
  assert.deepEqual(equalAmounts(10_000n, 3), [3_334n, 3_333n, 3_333n]);
  assert.deepEqual(equalAmounts(120_000n, 12), Array(12).fill(10_000n));
  assert.deepEqual(equalAmounts(100n, 60), [41n, ...Array(59).fill(1n)]);
  for (let index = 0; index < 2_000; index++) {
    const random = randomOf(21, index);
    const count = 2 + random.below(59);
    const sum = BigInt(count + random.below(10_000_000));
    const amounts = equalAmounts(sum, count);
    let added = 0n;
    for (const amount of amounts) added += amount;
    assert.equal(added, sum);
    assert.equal(amounts.length, count);
    const [first, ...others] = amounts;
    assert.equal(new Set(others).size, 1);
    assert.ok(first! >= others[0]! && first! - others[0]! < BigInt(count), `${first} of ${sum} in ${count}`);
    assert.deepEqual(checkDivision(sum, { amountsCents: amounts }), []);
  }
});

test('due days keep the day of the first one', () => {
  assert.deepEqual(dueDays('2027-12-31', 5), ['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30']);
  assert.deepEqual(dueDays('2027-01-10', 3), ['2027-01-10', '2027-02-10', '2027-03-10']);
});

test('an instalment is due at the end of its day in São Paulo', () => {
  assert.deepEqual(partsOf(300n, { amountsCents: [100n, 200n] }, '2027-01-31'), [
    { number: 1, amountCents: 100n, dueAt: new Date('2027-01-31T23:59:59-03:00') },
    { number: 2, amountCents: 200n, dueAt: new Date('2027-02-28T23:59:59-03:00') },
  ]);
});

test('amounts that do not add up, and a sum that is too small, are named', () => {
  const codes = (...asked: Parameters<typeof checkDivision>) =>
    checkDivision(...asked).map(({ path, code }) => `${path} ${code}`);
  assert.deepEqual(codes(300n, { amountsCents: [100n, 199n] }), ['amountsCents other_sum']);
  assert.deepEqual(codes(11n, { count: 12 }), ['amountCents too_small']);
  assert.deepEqual(codes(12n, { count: 12 }), []);
});

test('a description ends with the number of the instalment', () => {
  assert.equal(numbered('Curso de inglês', 1, 12), 'Curso de inglês 1/12');
  assert.equal(numbered(undefined, 12, 12), '12/12');
});
