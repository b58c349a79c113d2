// What a bank reports again: in another file, in a file under another number, after a payment was reversed, of a day that was requested
// twice. Nothing is booked twice, and nothing that may be real is ignored silently.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { runCommand } from '../harness/commands.ts';
import type { SentBoleto } from '../harness/file-exchange.ts';
import { AMOUNT, type ReturnBench, startReturns } from '../harness/return-bench.ts';
import type { Entry } from '../packages/cnab/return-lines.ts';

let bank: ReturnBench;
before(async () => {
  bank = await startReturns('756');
});
after(() => bank.stop());

const reversal = (boleto: SentBoleto, changes: Partial<Entry> = {}) =>
  bank.entry(boleto, '44', { paidCents: AMOUNT, ...changes });
const money = async (boleto: SentBoleto) => {
  const { state, payments, refunds } = await bank.charge(boleto);
  return [state, payments.length, refunds.length];
};
/** The receipts that wait for a person because they may be a payment of the charge. */
const doubtful = async (boleto: SentBoleto) => {
  const { payments } = await bank.charge(boleto);
  const references = payments.map(({ reference }: { reference: string }) => reference);
  return (await bank.unmatched()).filter(({ duplicateOf }) => references.includes(duplicateOf));
};
const record = (boleto: SentBoleto, { reference, amountCents }: { reference: string; amountCents: number }) =>
  bank.service.post(`/charges/${boleto.charge.id}/payments`, { method: 'boleto', amountCents, reference });

test('paid, reversed and paid again on one day: the last is not lost, and a person decides whether it is a payment', async () => {
  const boleto = await bank.one();
  assert.deepEqual(await bank.outcomes(bank.paid(boleto)), { paid: 1 });
  assert.deepEqual(await bank.outcomes(reversal(boleto)), { reversed: 1 });
  assert.deepEqual(await bank.outcomes(bank.paid(boleto)), { needs_attention: 1 });
  assert.match((await bank.remark()) ?? '', /reversed: this may be another payment\.$/);
  assert.deepEqual(await money(boleto), ['REFUNDED', 1, 1]);
  const [kept, ...more] = await doubtful(boleto);
  assert.deepEqual([kept.amountCents, more], [Number(AMOUNT), []]);
  // Reported again, it is the same waiting receipt.
  assert.deepEqual(await bank.outcomes(bank.paid(boleto)), { needs_attention: 1 });
  assert.equal((await doubtful(boleto)).length, 1);
  assert.equal((await record(boleto, kept)).status, 201);
  assert.equal((await bank.charge(boleto)).payments.length, 2);
  assert.deepEqual(await doubtful(boleto), []);
  // The same reversal again may be that of the second payment.
  assert.deepEqual(await bank.outcomes(reversal(boleto)), { needs_attention: 1 });
  assert.match((await bank.remark()) ?? '', /it may be of a payment received since\.$/);
  assert.deepEqual(await money(boleto), ['PAID', 2, 1]);
});

test('in one file the last of the three waits for a person too, and it is the same receipt in both files', async () => {
  const boleto = await bank.one();
  assert.deepEqual(await bank.outcomes(bank.paid(boleto), reversal(boleto)), { paid: 1, reversed: 1 });
  assert.deepEqual(await bank.outcomes(bank.paid(boleto)), { needs_attention: 1 });
  // The file of the complete day.
  const counts = await bank.outcomes(bank.paid(boleto), reversal(boleto), bank.paid(boleto));
  assert.deepEqual(counts, { needs_attention: 1, repeated: 1, possible_duplicate: 1 });
  const [kept, ...more] = await doubtful(boleto);
  assert.deepEqual(more, []);
  // Dismissed: the receipt does not wait any more, and a further one needs a person again.
  assert.equal((await bank.service.post('/payments/unmatched/dismiss', { reference: kept.reference })).status, 200);
  assert.deepEqual(await bank.outcomes(bank.paid(boleto)), { needs_attention: 1 });
  assert.deepEqual(await doubtful(boleto), []);
  assert.deepEqual(await money(boleto), ['REFUNDED', 1, 1]);
});

test('what is reported again in a later file, or in a file under another number, changes nothing', async () => {
  const [first, second, third] = await bank.send({}, {}, {});
  const entries = [
    bank.entry(first!, '02'),
    bank.paid(first!),
    bank.entry(second!, '03', { reasons: '16' }),
    bank.entry(third!, '09', { reasons: '13' }),
    bank.entry(third!, '28', { feeCents: 199n }),
    bank.paid({ ...first!, number: '000777777001014     ' }, { paidCents: 333n, amountCents: 333n }),
    bank.entry(third!, '99'),
  ];
  const counts = await bank.outcomes(...entries);
  assert.deepEqual(counts, {
    ...{ registered: 1, paid: 1, rejected: 1, written_off: 1, fee: 1, unmatched: 1, needs_attention: 1 },
  });
  const states = async () => Promise.all([first, second, third].map(boleto => bank.charge(boleto!)));
  const before = [await states(), await bank.unmatched()];
  assert.deepEqual(await bank.outcomes(...entries), { repeated: entries.length });
  assert.deepEqual([await states(), await bank.unmatched()], before);
  const fresh = await bank.one();
  assert.deepEqual(await bank.outcomes(bank.paid(fresh), ...entries), { paid: 1, repeated: entries.length });
  const env = { TRILHO_MODE: 'live', DATABASE_URL: bank.service.databaseUrl };
  assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
});

const day = (text: string) => `${text}T23:59:59-03:00`;

test('a due day that is changed there and back on one day is answered each time', async () => {
  const boleto = await bank.one({ dueAt: day('2026-12-10') });
  await bank.outcomes(bank.entry(boleto, '02'));
  for (const dueAt of ['2026-12-30', '2026-12-10', '2026-12-30']) {
    const asked = await bank.service.post(`/charges/${boleto.charge.id}/due-date`, { dueAt: day(dueAt) });
    assert.equal(asked.json.dueChange.status, 'PENDING', asked.text);
    // An earlier report of the bank does not answer a request that it did not have yet.
    const early = await bank.outcomes(bank.entry(boleto, '14'));
    assert.ok('repeated' in early || 'noted' in early, JSON.stringify(early));
    assert.equal((await bank.charge(boleto)).dueChange.status, 'PENDING');
    assert.equal((await bank.make())?.titles, 1);
    // Without the day, so that the entries are the same.
    assert.deepEqual(await bank.outcomes(bank.entry(boleto, '14')), { noted: 1 });
    const { dueAt: now, dueChange } = await bank.charge(boleto);
    assert.deepEqual([now, dueChange.status], [new Date(day(dueAt)).toISOString(), 'DONE']);
  }
  assert.deepEqual(await bank.outcomes(bank.entry(boleto, '14')), { repeated: 1 });
});

test('a repeated old answer does not answer a later change', async () => {
  const boleto = await bank.one({ dueAt: day('2026-12-10') });
  const change = (to: string) => bank.service.post(`/charges/${boleto.charge.id}/due-date`, { dueAt: day(to) });
  await bank.outcomes(bank.entry(boleto, '02'));
  await change('2026-12-20');
  await bank.make();
  const [old, refusal] = [bank.entry(boleto, '14'), bank.entry(boleto, '26', { reasons: '16' })];
  assert.deepEqual(await bank.outcomes(old), { noted: 1 });
  await change('2026-12-21');
  await bank.make();
  assert.deepEqual(await bank.outcomes(refusal), { needs_attention: 1 });
  bank.service.clock.advanceMs(86_400_000);
  await change('2026-12-22');
  await bank.make();
  assert.deepEqual(await bank.outcomes(old, refusal), { repeated: 2 });
  assert.equal((await bank.charge(boleto)).dueChange.status, 'PENDING');
  assert.deepEqual(await bank.outcomes(bank.entry(boleto, '14')), { noted: 1 });
  assert.equal((await bank.charge(boleto)).dueAt, new Date(day('2026-12-22')).toISOString());
});

test('a reversal that came before the payment, and comes again after it, reverses nothing by itself', async () => {
  const boleto = await bank.one();
  const early = bank.entry(boleto, '44');
  assert.deepEqual(await bank.outcomes(early), { needs_attention: 1 });
  assert.deepEqual(await bank.outcomes(early), { repeated: 1 });
  assert.deepEqual(await bank.outcomes(bank.paid(boleto)), { paid: 1 });
  assert.deepEqual(await bank.outcomes(early), { needs_attention: 1 });
  assert.deepEqual(await money(boleto), ['PAID', 1, 0]);
});

test('a payment without a day is one payment, in files of any days', async () => {
  const boleto = await bank.one();
  const timeless = bank.paid(boleto, { day: '00000000', creditDay: '00000000' });
  assert.deepEqual(await bank.outcomes(timeless), { paid: 1 });
  bank.service.clock.advanceMs(86_400_000);
  assert.deepEqual(await bank.outcomes(timeless), { repeated: 1 });
  assert.deepEqual([await money(boleto), await doubtful(boleto)], [['PAID', 1, 0], []]);
});
