// What a charge with a due date costs on a day at the simulated PSP, by the examples of the norm and by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountDue, type DueValue, lastPayableDay } from '../../../packages/psp/src/amount-due.ts';

test('the last payable day of the examples A to G of the norm', () => {
  for (const [dataDeVencimento, validadeAposVencimento, last] of [
    ['2020-10-20', 4, '2020-10-26'],
    ['2020-12-25', 0, '2020-12-28'],
    ['2020-12-25', 1, '2020-12-29'],
    ['2020-12-25', 3, '2020-12-31'],
    ['2020-12-25', 4, '2021-01-04'],
    ['2021-08-27', 5, '2021-09-01'],
    ['2021-08-28', 5, '2021-09-06'],
  ] as const) {
    assert.equal(lastPayableDay({ dataDeVencimento, validadeAposVencimento }), last);
  }
});

/** Due on a Tuesday. */
const CALENDAR = { dataDeVencimento: '2030-12-10', validadeAposVencimento: 30 };
const on = (day: string, value: Partial<DueValue>) => amountDue({ original: '100.00', ...value }, CALENDAR, day).final;

test('the example of the norm: two days late, a fine of 3 % and interest of 1 % a day', () => {
  const value = { multa: { modalidade: 2, valorPerc: '3.00' }, juros: { modalidade: 2, valorPerc: '1.00' } };
  assert.equal(on('2030-12-12', value), '105.00');
  assert.equal(on('2030-12-10', value), '100.00');
});

test('interest by each modality, a week late, truncated to cents', () => {
  const week = (modalidade: number, valorPerc: string) => on('2030-12-17', { juros: { modalidade, valorPerc } });
  assert.deepEqual(
    [week(1, '0.10'), week(2, '0.10'), week(3, '1.00'), week(4, '12.00')],
    ['100.70', '100.70', '100.23', '100.23'],
  );
  // Five banking days.
  assert.deepEqual(
    [week(5, '0.10'), week(6, '0.10'), week(7, '1.00'), week(8, '12.00')],
    ['100.50', '100.50', '100.23', '100.23'],
  );
});

test('rebates and discounts, a week early', () => {
  const week = (value: Partial<DueValue>) => on('2030-12-03', value);
  const discount = (modalidade: number, valorPerc: string) => week({ desconto: { modalidade, valorPerc } });
  assert.deepEqual(
    [discount(3, '0.10'), discount(4, '0.10'), discount(5, '0.10'), discount(6, '0.10')],
    ['99.30', '99.50', '99.30', '99.50'],
  );
  assert.equal(week({ abatimento: { modalidade: 2, valorPerc: '12.50' } }), '87.50');
  assert.equal(on('2030-12-20', { abatimento: { modalidade: 1, valorPerc: '12.50' } }), '87.50');
});

test('a due day that is no banking day moves to the next one, without fine or interest until then', () => {
  const saturday = { dataDeVencimento: '2030-12-07', validadeAposVencimento: 0 };
  const value = { original: '100.00', multa: { modalidade: 1, valorPerc: '1.00' } };
  assert.equal(amountDue(value, saturday, '2030-12-09').final, '100.00');
  assert.equal(lastPayableDay(saturday), '2030-12-09');
});

test('discount, fine and interest in percent are of what the rebate leaves', () => {
  const abatimento = { modalidade: 1, valorPerc: '20.00' };
  const desconto = { modalidade: 2, descontoDataFixa: [{ data: '2030-12-10', valorPerc: '10.00' }] };
  assert.equal(on('2030-12-10', { abatimento, desconto }), '72.00');
  assert.equal(on('2030-12-11', { abatimento, desconto, multa: { modalidade: 2, valorPerc: '5.00' } }), '84.00');
  assert.equal(on('2030-12-20', { abatimento, juros: { modalidade: 2, valorPerc: '1.00' } }), '88.00');
});

test('a discount until a day without banks lasts until the next one with them, the earliest first', () => {
  // Saturday and Monday: github.com/bacen/pix-api, issues 390 and 412.
  const descontoDataFixa = [
    { data: '2030-12-07', valorPerc: '3.00' },
    { data: '2030-12-09', valorPerc: '2.00' },
  ];
  const desconto = { modalidade: 1, descontoDataFixa };
  assert.equal(on('2030-12-09', { desconto }), '97.00');
  assert.equal(on('2030-12-10', { desconto }), '100.00');
});
