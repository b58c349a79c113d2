// Boletos by file that carry a pix code (segment Y-03): the key goes with the title, the code comes with the registration, and a
// payment by it is one payment.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { civilDay } from '../../src/lib/civil-days.ts';
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

const today = () => civilDay(bench.service.clock.now());
const hear = () => bench.read(bank.makeReturn({ day: today(), time: '180000' }));

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

  // The rail of the pix key has reported it first; then the bank does, by file.
  const [number] = Object.keys(bank.state().titles);
  const paid = { method: 'boleto', amountCents: 15_990, reference: 'E90400888202611171200abcdefghijk' };
  await bench.service.post(`/charges/${boleto!.charge.id}/payments`, paid);
  await bench.service.sql(`update payments set is_by_pix = true where reference = $1`, [paid.reference]);
  bank.pay(number!, { day: DAY, amountCents: 15_990n, creditDay: DAY, channel: '61' });
  assert.deepEqual((await hear()).file.counts, { paid: 1 });
  assert.equal((await bench.charge(boleto!)).payments.length, 1);
});

/** A boleto that the bank has registered with a code. */
async function registered() {
  const [boleto] = await bench.send({});
  const before = new Set(Object.keys(bank.state().titles));
  const { json } = await bench.service.get('/boletos/files?pageSize=1');
  bank.take(Buffer.from(await bench.textOf(json.files[0].sequence), 'latin1'), today());
  const number = Object.keys(bank.state().titles).find(one => !before.has(one))!;
  await hear();
  return { boleto: boleto!, number, txid: `BOL${boleto!.charge.id.replaceAll('-', '')}` };
}
const waiting = async () => (await bench.service.get('/payments/unmatched')).json.payments;
const pixId = (end: string) => `E90400888202611171200${end.padStart(11, '0')}`;

test('a pix reported by a PSP, and days later by a file with another channel, is one payment until a person decides otherwise', async () => {
  const { boleto, number, txid } = await registered();
  const reference = pixId('first');
  assert.ok(await bench.takePix({ reference, requestReference: txid, amountCents: 15_990n }));
  bench.service.clock.set('2026-11-20T12:00:00Z');
  bank.pay(number, { day: '2026-11-19', amountCents: 15_990n, creditDay: '2026-11-20', channel: '03' });
  await hear();
  assert.equal((await bench.charge(boleto)).payments.length, 1);
  const [{ reason, duplicateOf }] = await waiting();
  assert.deepEqual([reason, duplicateOf], ['possible_duplicate', reference]);
});

test('a pix reported by a file first, and days later by a PSP, is one payment too', async () => {
  const { boleto, number, txid } = await registered();
  bank.pay(number, { day: '2026-11-20', amountCents: 15_990n, creditDay: '2026-11-20', channel: '03' });
  await hear();
  assert.equal((await bench.charge(boleto)).payments.length, 1);
  bench.service.clock.set('2026-11-23T12:00:00Z');
  const reference = pixId('second');
  await bench.takePix({ reference, requestReference: txid, amountCents: 15_990n });
  assert.equal((await bench.charge(boleto)).payments.length, 1);
  const found = (await waiting()).find((one: { reference: string }) => one.reference === reference);
  assert.equal(found?.reason, 'possible_duplicate');
});

test('a payment by pix in a file with another amount than the pix waits for a person', async () => {
  const { boleto, number, txid } = await registered();
  const reference = pixId('third');
  await bench.takePix({ reference, requestReference: txid, amountCents: 15_990n });
  bank.pay(number, { day: '2026-11-23', amountCents: 16_500n, creditDay: '2026-11-23', channel: '61' });
  await hear();
  const { payments } = await bench.charge(boleto);
  assert.deepEqual([payments.length, payments[0].amountCents], [1, 15_990]);
  const found = (await waiting()).find((one: { amountCents: number }) => one.amountCents === 16_500);
  assert.equal(found?.duplicateOf, reference);
});

test('a pix that a file reports too is one payment, also when another file reports it with other details', async () => {
  const { boleto, number, txid } = await registered();
  const day = today();
  await bench.takePix({ reference: pixId('fourth'), requestReference: txid, amountCents: 15_990n });
  bank.pay(number, { day, amountCents: 15_990n, creditDay: day, channel: '61' });
  assert.deepEqual((await hear()).file.counts, { paid: 1 });
  bank.pay(number, { day, amountCents: 15_990n, creditDay: day, channel: '61', feeCents: 99n });
  assert.deepEqual((await hear()).file.counts, { possible_duplicate: 1 });
  assert.equal((await bench.charge(boleto)).payments.length, 1);
});

test('the pix of a boleto is known in a statement, and a pix there without its id is shown beside it', async () => {
  const { number, txid } = await registered();
  const day = today();
  const [byPsp, byFile] = [pixId('statement'), pixId('later')];
  await bench.takePix({ reference: byPsp, requestReference: txid, amountCents: 15_990n });
  const next = await registered();
  bank.pay(next.number, { day, amountCents: 15_990n, creditDay: day, channel: '61' });
  await hear();
  await bench.takePix({ reference: byFile, requestReference: next.txid, amountCents: 15_990n });
  assert.notEqual(number, next.number);
  const [year, month, date] = day.split('-');
  const rows = [byPsp, byFile, ''].map(id => `${date}/${month}/${year};159,90;PIX RECEBIDO;${id}`);
  const body = ['data;valor;descrição;endToEndId', ...rows, `${date}/${month}/${year};-1,00;TARIFA;`].join('\n');
  const headers = { 'content-type': 'text/csv' };
  const { json, status, text } = await bench.service.send('/statements', { method: 'POST', body, headers });
  assert.equal(status, 201, text);
  const { known, duplicate, unmatched } = json.statement.counts;
  assert.deepEqual([known, duplicate, unmatched], [2, 1, 0], text);
});

const goneBack = (end: string) => ({ reference: `D${end}`, amountCents: 15_990n, status: 'DONE' }) as const;

test('a return reported by both the file and the PSP is recorded once', async () => {
  const { boleto, number, txid } = await registered();
  const day = today();
  const pix = { reference: pixId('fifth'), requestReference: txid, amountCents: 15_990n };
  await bench.takePix(pix);
  bank.pay(number, { day, amountCents: 15_990n, creditDay: day, channel: '61' });
  await hear();
  bank.reverse(number, day);
  assert.deepEqual((await hear()).file.counts, { reversed: 1 });
  await bench.takePix({ ...pix, returns: [goneBack('fifth')] });
  const { refunds, state } = await bench.charge(boleto);
  assert.deepEqual([refunds.length, state], [1, 'REFUNDED']);
});

test('a return of a pix that a person matched to the payment of a file is a return of that payment', async () => {
  const { boleto, number, txid } = await registered();
  const day = today();
  bank.pay(number, { day, amountCents: 15_990n, creditDay: day, channel: '03' });
  await hear();
  const pix = { reference: pixId('sixth'), requestReference: txid, amountCents: 15_990n };
  await bench.takePix(pix);
  const dismissed = await bench.service.post('/payments/unmatched/dismiss', { reference: pix.reference });
  assert.equal(dismissed.status, 200, dismissed.text);
  assert.equal((await bench.charge(boleto)).state, 'PAID');
  await bench.takePix({ ...pix, returns: [goneBack('sixth')] });
  assert.equal((await bench.charge(boleto)).state, 'REFUNDED');
});

test("a pix key is refused if the bank's files have no field for it", () => {
  const boletos = [agreementEntry('756', { pix: PIX })];
  assert.throws(
    () => liveRails({ rails: [], boletos }, { clock: testClock('2026-11-17T12:00:00Z'), log: silentLog }),
    /^StartError: boletos\[0\]\.pix is not for files of this bank\.$/,
  );
});
