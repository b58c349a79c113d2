// Boletos by file that carry a pix code (segment Y-03): the key goes with the title, the code comes with the registration, and a
// payment by it is one payment.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { liveRails } from '../../src/rails/live-rails.ts';
import { openBank } from '../../src/sandbox/cnab-bank/bank.ts';
import { agreementEntry } from '../harness/agreements.ts';
import { testClock } from '../harness/clock.ts';
import { type FileExchangeBench, startFileExchange } from '../harness/file-exchange.ts';
import { silentLog } from '../harness/log.ts';
import { customerOf } from '../sandbox/cnab-bank/customers.ts';

const PIX = { key: 'financeiro@padaria.example', keyType: '4', city: 'Recife' };
const DAY = '2026-11-17';
const bank = openBank(customerOf('033'));
let bench: FileExchangeBench;
before(async () => {
  bench = await startFileExchange('033', { name: 'santander:main', pix: PIX });
});
after(() => bench.stop());

const hear = () => bench.read(bank.makeReturn({ day: DAY, time: '180000' }));

test('the code that the bank makes is the code of the boleto, and a payment by it is one payment', async () => {
  const [boleto] = await bench.send({});
  const txid = `BOL${boleto!.charge.id.replaceAll('-', '')}`;
  const text = await bench.textOf(1);
  const Y = text.split('\r\n').find(line => line[13] === 'Y') ?? '';
  assert.deepEqual(
    [Y.slice(17, 19), Y[80], Y.slice(81, 158).trim(), Y.slice(158, 193).trim()],
    ['03', '4', PIX.key, txid],
  );
  bank.take(Buffer.from(text, 'latin1'), DAY);
  assert.equal((await bench.charge(boleto!)).boleto.emv, undefined);
  assert.deepEqual((await hear()).file.counts, { registered: 1 });
  const registered = await bench.charge(boleto!);
  assert.equal(registered.boleto.status, 'REGISTERED');
  assert.ok(registered.boleto.emv.includes(`pix.example.com/qr/${txid}`), registered.boleto.emv);
  assert.match(registered.boleto.digitableLine, /^033/);

  // The rail of the pix key has told of it first; then the bank does, by file.
  const [number] = Object.keys(bank.state().titles);
  const paid = { method: 'boleto', amountCents: 15_990, reference: 'E90400888202611171200abcdefghijk' };
  await bench.service.post(`/charges/${boleto!.charge.id}/payments`, paid);
  await bench.service.sql(`update payments set is_by_pix = true where reference = $1`, [paid.reference]);
  bank.pay(number!, { day: DAY, amountCents: 15_990n, creditDay: DAY, channel: '61' });
  assert.deepEqual((await hear()).file.counts, { paid: 1 });
  assert.equal((await bench.charge(boleto!)).payments.length, 1);
});

test('a pix key is refused where the files of the bank have no place for it', () => {
  const boletos = [agreementEntry('756', { pix: PIX })];
  assert.throws(
    () => liveRails({ rails: [], boletos }, { clock: testClock('2026-11-17T12:00:00Z'), log: silentLog }),
    /^StartError: boletos\[0\]\.pix is not for files of this bank\.$/,
  );
});
