// Another bank: with one file, its boletos are checked, written, read and explained.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  addBank,
  boletoBarcode,
  CNAB_BANKS,
  checkAgreement,
  digitableLine,
  explainFile,
  fileWriter,
  readEntries,
  readHead,
} from '@trilho/cnab';
import { openBank } from '../../../src/sandbox/cnab-bank/bank.ts';
import { isBoletoByOracle } from '../../harness/oracles.ts';
import { customerWith } from '../../sandbox/cnab-bank/customers.ts';
import { madeUpRules } from '../../sandbox/cnab-bank/made-up-rules.ts';
import { HEAD, TITLE } from './agreements.ts';
import { MADE_UP_AGREEMENT, madeUpBank } from './made-up-bank.ts';

const DAY = HEAD.day;
let remove: () => void;
before(() => {
  remove = addBank(madeUpBank);
});
after(() => remove());

test('its agreements are checked by its own rules', () => {
  assert.deepEqual(checkAgreement(MADE_UP_AGREEMENT), []);
  const { accountNumber: _, ...account } = MADE_UP_AGREEMENT.account;
  assert.deepEqual(checkAgreement({ ...MADE_UP_AGREEMENT, account: { ...account, carteira: '2' } }), [
    { field: 'carteira', message: 'must be 2 digits' },
    { field: 'accountNumber', message: 'is required for files of this bank' },
  ]);
});

test('a file for it and its return are read, with its own codes and counts', () => {
  const writer = fileWriter(MADE_UP_AGREEMENT, HEAD);
  const text = writer.add({ movement: 'register', title: TITLE }) + writer.end();
  const explained = [...explainFile(Buffer.from(text, 'latin1'))];
  assert.deepEqual(
    explained.flatMap(({ fields }) => fields).filter(({ fault }) => fault !== undefined),
    [],
  );

  const bank = openBank(customerWith(MADE_UP_AGREEMENT), undefined, madeUpRules);
  bank.take(Buffer.from(text, 'latin1'), DAY);
  const [number = ''] = Object.keys(bank.state().titles);
  assert.equal(number.trim(), '135790000000426');
  bank.report(number, '70', DAY, { paidCents: TITLE.amountCents });
  const bytes = bank.makeReturn({ day: DAY, time: '180000' });
  assert.equal(readHead(bytes).bank, '998');
  const reading = readEntries(bytes, MADE_UP_AGREEMENT.account);
  const entries = [reading.next(), reading.next()].flatMap(({ value, done }) => (done ? [] : value));
  assert.deepEqual(
    entries.map(({ meaning, ourNumber, paidCents, text }) => [meaning, ourNumber, paidCents, text]),
    [
      ['registered', '000000042', 0n, 'registered'],
      ['paid', '000000042', TITLE.amountCents, 'paid at a partner shop'],
    ],
  );
  const end = reading.next();
  const warnings = end.done ? end.value.warnings.map(({ message }) => message) : [];
  assert.ok(!warnings.includes('the trailer counts other records of its lot than there are'), warnings.join());
});

test('its barcode is read by independent readers', () => {
  const freeField = madeUpBank.boleto.freeField(MADE_UP_AGREEMENT.account, '42');
  const barcode = boletoBarcode({ bank: '998', dueDay: TITLE.dueDay, amountCents: TITLE.amountCents, freeField });
  assert.ok(isBoletoByOracle(digitableLine(barcode)));
});

test('a bank can be added once, and is gone after it was removed', () => {
  assert.throws(() => addBank(madeUpBank), /there is a bank 998 already/);
  remove();
  assert.equal(CNAB_BANKS.has('998'), false);
  assert.equal(checkAgreement(MADE_UP_AGREEMENT)[0]?.field, 'bank');
  remove = addBank(madeUpBank);
});
