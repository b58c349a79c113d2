// A bank that was added by one file: its boletos are created, sent, registered and paid like those of the others.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addBank } from '@trilho/cnab';
import { openBank } from '../../src/sandbox/cnab-bank/bank.ts';
import { type FileExchangeBench, startFileExchange } from '../harness/file-exchange.ts';
import { MADE_UP_AGREEMENT, madeUpBank } from '../packages/cnab/made-up-bank.ts';
import { customerWith } from '../sandbox/cnab-bank/customers.ts';
import { madeUpRules } from '../sandbox/cnab-bank/made-up-rules.ts';

const DAY = '2026-11-17';
let remove: () => void;
let bench: FileExchangeBench;
before(async () => {
  remove = addBank(madeUpBank);
  bench = await startFileExchange(MADE_UP_AGREEMENT);
});
after(async () => {
  await bench.stop();
  remove();
});

test('a charge goes to the bank by file and is paid by its return', async () => {
  const bank = openBank(customerWith(MADE_UP_AGREEMENT), undefined, madeUpRules);
  const [boleto] = await bench.send({});
  assert.match(boleto!.charge.boleto.digitableLine, /^998/);
  bank.take(Buffer.from(await bench.textOf(1), 'latin1'), DAY);
  assert.deepEqual((await bench.read(bank.makeReturn({ day: DAY, time: '150000' }))).file.counts, { registered: 1 });
  assert.equal((await bench.charge(boleto!)).boleto.status, 'REGISTERED');

  const [number = ''] = Object.keys(bank.state().titles);
  bank.report(number, '70', DAY, { paidCents: 15_990n, creditDay: DAY });
  assert.deepEqual((await bench.read(bank.makeReturn({ day: DAY, time: '180000' }))).file.counts, { paid: 1 });
  const { state, payments } = await bench.charge(boleto!);
  assert.deepEqual([state, payments.length, payments[0].amountCents], ['PAID', 1, 15_990]);
});
