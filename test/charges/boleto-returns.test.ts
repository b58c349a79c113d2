// Return files of a bank: what each occurrence does to charge, payments and ledger, once however often it is read.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CnabError } from '@trilho/cnab';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { civilDay, DAY_MS } from '../../src/lib/civil-days.ts';
import { agreementEntry } from '../harness/agreements.ts';
import { runCommand } from '../harness/commands.ts';
import { failingAfter } from '../harness/failing-database.ts';
import { type FileExchangeBench, type SentBoleto, startFileExchange } from '../harness/file-exchange.ts';
import { scaled } from '../harness/scale.ts';
import { bytesOf, type Entry, returnLines } from '../packages/cnab/return-lines.ts';

const RAIL = 'sicoob:main';
const AMOUNT = 15_990n;

let bench: FileExchangeBench;
let sequence = 0;
before(async () => {
  bench = await startFileExchange('756', { name: RAIL });
});
after(() => bench.stop());

/** Today on the service's clock, as DDMMAAAA. */
function today(): string {
  const [year = '', month = '', day = ''] = civilDay(bench.service.clock.now()).split('-');
  return day + month + year;
}

/** An entry of a return about a boleto, by default of today. */
function entry({ number }: SentBoleto, occurrence: string, changes: Partial<Entry> = {}): Entry {
  return { occurrence, number, amountCents: AMOUNT, day: today(), ...changes };
}
const paid = (boleto: SentBoleto, changes: Partial<Entry> = {}) =>
  entry(boleto, '06', { paidCents: AMOUNT, feeCents: 250n, creditDay: '18112026', reasons: '61', ...changes });
const bring = (...entries: Entry[]) => bench.read(bytesOf(returnLines('756', entries, { sequence: ++sequence })));
const outcomes = async (...entries: Entry[]) => (await bring(...entries)).file.counts;
const one = async (changes: Record<string, unknown> = {}): Promise<SentBoleto> => (await bench.send(changes))[0]!;
const balances = () =>
  bench.service.sql<{ book: string; sum: string }>(
    `select book, sum(amount)::text as sum from ledger_lines group by book order by book`,
  );
/** The sums of a charge in each book. */
const booksOf = async ({ charge }: SentBoleto) => {
  const rows = await bench.service.sql<{ book: string; sum: string }>(
    `select book, sum(amount)::text as sum from ledger_lines l
       join ledger_entries e on e.id = l.entry_id and e.account_id = l.account_id
      where e.charge_id = $1 group by book order by book`,
    [charge.id],
  );
  return Object.fromEntries(rows.map(({ book, sum }) => [book, sum]));
};
const unmatched = async () => (await bench.service.get('/payments/unmatched')).json.payments;

describe('a return file', () => {
  test("registers a boleto, or rejects it with the bank's reason in plain text", async () => {
    const [good, bad] = await bench.send({}, { methods: ['boleto', 'pix'] });
    assert.deepEqual(await outcomes(entry(good!, '02'), entry(bad!, '03', { reasons: '1608' })), {
      registered: 1,
      rejected: 1,
    });
    assert.equal((await bench.charge(good!)).boleto.status, 'REGISTERED');
    const { boleto, state } = await bench.charge(bad!);
    assert.equal(boleto.status, 'FAILED');
    assert.equal(boleto.reason, 'The bank refused it: 16 invalid due day, 08 invalid nosso número.');
    assert.equal(state, 'ACTIVE', 'it can be paid by pix');
  });

  test('pays a charge: amount, day, credit day and fee; the money is credited on the credit day', async () => {
    const boleto = await one();
    assert.deepEqual(await outcomes(entry(boleto, '02'), paid(boleto, { creditDay: '19112026' })), {
      registered: 1,
      paid: 1,
    });
    const charge = await bench.charge(boleto);
    assert.equal(charge.state, 'PAID');
    const [payment] = charge.payments;
    assert.deepEqual(
      [payment.method, payment.amountCents, payment.feeCents, payment.creditDay, payment.source],
      ['boleto', Number(AMOUNT), 250, '2026-11-19', 'bank'],
    );
    assert.deepEqual(payment.channel, { code: '61', words: 'by pix' });
    bench.service.clock.set('2026-11-18T12:00:00Z');
    await bench.sweep();
    assert.equal((await bench.charge(boleto)).state, 'PAID');
    assert.deepEqual(await booksOf(boleto), { payer: '-15990', receivable: '15990' });
    bench.service.clock.set('2026-11-19T12:00:00Z');
    await bench.sweep();
    assert.equal((await bench.charge(boleto)).state, 'SETTLED');
    // The bank has credited the amount less its fee.
    assert.deepEqual(await booksOf(boleto), { bank_fee: '250', payer: '-15990', receivable: '0', settled: '15740' });
  });

  test('a second payment is available at once, and its fee is recorded', async () => {
    const boleto = await one();
    const day = today();
    await outcomes(paid(boleto), entry(boleto, '17', { paidCents: 5_000n, feeCents: 199n, day }));
    assert.deepEqual(await booksOf(boleto), {
      ...{ bank_fee: '199', payer: '-20990', receivable: '15990', settled: '4801' },
    });
    const env = { TRILHO_MODE: 'live', DATABASE_URL: bench.service.databaseUrl };
    assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
    const undo = () => bench.service.sql('update payments set fee_cents = 199 where fee_cents = 198');
    await bench.service.sql('update payments set fee_cents = 198 where fee_cents = 199');
    const check = await runCommand(ledgerCommand, env, ['check']).finally(undo);
    assert.equal(check.code, 1, 'a fee that is not in the ledger is found');
  });

  test('does not pay again what a person has reported of a boleto, with another day and amount', async () => {
    const boleto = await one();
    const body = { method: 'boleto', amountCents: Number(AMOUNT) - 100, reference: `comprovante ${boleto.reference}` };
    assert.equal((await bench.service.post(`/charges/${boleto.charge.id}/payments`, body)).status, 201);
    assert.deepEqual(await outcomes(paid(boleto, { day: '16112026' })), { possible_duplicate: 1 });
    assert.equal((await bench.charge(boleto)).payments.length, 1);
    assert.ok((await unmatched()).some(({ duplicateOf }: { duplicateOf?: string }) => duplicateOf === body.reference));
  });

  test('is read once however often it comes, and a line that comes in another file is booked once', async () => {
    const boleto = await one();
    const first = bytesOf(returnLines('756', [paid(boleto)], { sequence: ++sequence }));
    const read = await bench.read(first);
    assert.equal(read.isKnown, false);
    const before = await balances();
    const again = await bench.read(first);
    assert.deepEqual([again.isKnown, again.file.id, again.file.counts], [true, read.file.id, { paid: 1 }]);
    assert.deepEqual(await outcomes(paid(boleto)), { repeated: 1 });
    assert.equal((await bench.charge(boleto)).payments.length, 1);
    assert.deepEqual(await balances(), before);
  });

  test('that reports two payments of the same day and amount leaves the second for a person', async () => {
    const boleto = await one();
    const counts = await outcomes(paid(boleto), paid(boleto), paid(boleto, { creditDay: '23112026' }));
    assert.deepEqual(counts, { paid: 1, possible_duplicate: 2 });
    const { payments } = await bench.charge(boleto);
    assert.equal(payments.length, 1);
    const kept = (await unmatched()).filter(
      (receipt: { duplicateOf?: string }) => receipt.duplicateOf === payments[0].reference,
    );
    assert.equal(kept.length, 2);
    // A person decides that one of them is a separate payment.
    const [{ reference, amountCents }] = kept;
    const path = `/charges/${boleto.charge.id}/payments`;
    const recorded = await bench.service.post(path, { method: 'boleto', amountCents, reference });
    assert.equal(recorded.status, 201, recorded.text);
    assert.equal((await bench.charge(boleto)).payments.length, 2);
  });

  test('a payment of another day is a second payment of the charge', async () => {
    const boleto = await one();
    assert.deepEqual(await outcomes(paid(boleto, { day: '16112026' })), { unmatched: 1 }, 'before the charge was made');
    bench.service.clock.set('2026-11-20T12:00:00Z');
    const counts = await outcomes(
      paid(boleto, { day: '19112026' }),
      entry(boleto, '17', { paidCents: AMOUNT, day: '20112026' }),
    );
    assert.deepEqual(counts, { paid: 2 });
    const { payments } = await bench.charge(boleto);
    assert.deepEqual(
      payments.map((payment: { isRepeat: boolean }) => payment.isRepeat),
      [false, true],
    );
  });

  test('pays a boleto that was written off, with a remark', async () => {
    const boleto = await one();
    await outcomes(entry(boleto, '02'));
    await bench.service.post(`/charges/${boleto.charge.id}/cancel`, {});
    await bench.service.runJobs();
    assert.equal((await bench.make())?.titles, 1, 'the bank is asked to write it off');
    assert.deepEqual(await outcomes(entry(boleto, '09', { reasons: '10' })), { written_off: 1 });
    assert.deepEqual(await outcomes(entry(boleto, '17', { paidCents: AMOUNT, day: '20112026' })), { paid: 1 });
    const { state, payments } = await bench.charge(boleto);
    assert.deepEqual([state, payments[0].cameAfter], ['PAID', 'CANCELED']);
  });

  test('pays a boleto that the bank had refused, with a remark; a person may report such money, too', async () => {
    const [byFile, byHand, withPix] = await bench.send({}, {}, { methods: ['boleto', 'pix'] });
    await outcomes(...[byFile, byHand, withPix].map(boleto => entry(boleto!, '03', { reasons: '63' })));
    const stateOf = async (boleto: SentBoleto | undefined) => {
      const { state, boleto: method, pix, payments } = await bench.charge(boleto!);
      return [state, method.status, pix?.status, payments[0]?.cameAfter];
    };
    assert.deepEqual(await stateOf(byFile), ['FAILED', 'FAILED', undefined, undefined]);
    assert.deepEqual(await outcomes(paid(byFile!), paid(withPix!)), { paid: 2 });
    assert.deepEqual(await stateOf(byFile), ['PAID', 'PAID', undefined, 'FAILED']);
    assert.deepEqual(await stateOf(withPix), ['PAID', 'PAID', 'PAID_BY_OTHER_METHOD', 'FAILED']);
    const report = { method: 'boleto', reference: 'receipt 7', amountCents: 15_990 };
    const { status } = await bench.service.post(`/charges/${byHand!.charge.id}/payments`, report);
    assert.equal(status, 201);
    assert.deepEqual(await stateOf(byHand), ['PAID', 'PAID', undefined, 'FAILED']);
  });

  test('ends a boleto that the bank has written off by itself', async () => {
    const [ranOut, asked, withPix] = await bench.send({}, {}, { methods: ['boleto', 'pix'] });
    await outcomes(...[ranOut, asked, withPix].map(boleto => entry(boleto!, '02')));
    await outcomes(
      entry(ranOut!, '09', { reasons: '13' }),
      entry(asked!, '09', { reasons: '11' }),
      entry(withPix!, '09', { reasons: '11' }),
    );
    assert.equal((await bench.charge(ranOut!)).state, 'EXPIRED');
    assert.equal((await bench.charge(asked!)).state, 'CANCELED');
    const { state, boleto } = await bench.charge(withPix!);
    assert.deepEqual([state, boleto.status], ['ACTIVE', 'CANCELED']);
    await bench.service.runJobs();
    assert.equal(await bench.make(), undefined, 'the bank is not sent its own answer');
  });

  test('reverses a payment: the money goes back, once', async () => {
    const boleto = await one();
    await outcomes(paid(boleto));
    const reversal = entry(boleto, '44', { paidCents: AMOUNT });
    assert.deepEqual(await outcomes(reversal), { reversed: 1 });
    assert.deepEqual(await outcomes(reversal), { repeated: 1 });
    const { state, refunds } = await bench.charge(boleto);
    assert.deepEqual([state, refunds.length, refunds[0].kind], ['REFUNDED', 1, 'return']);
    const other = await one();
    assert.deepEqual(await outcomes(entry(other, '44', { paidCents: AMOUNT })), { needs_attention: 1 });
  });

  test('a reversal that the bank reports twice, with other details, takes back one payment', async () => {
    const boleto = await one();
    const day = today();
    assert.deepEqual(await outcomes(paid(boleto)), { paid: 1 });
    bench.service.clock.advanceMs(DAY_MS);
    assert.deepEqual(await outcomes(paid(boleto)), { paid: 1 });
    const reversal = entry(boleto, '44', { paidCents: AMOUNT });
    assert.deepEqual(await outcomes(reversal), { reversed: 1 });
    assert.deepEqual(await outcomes({ ...reversal, reasons: '02' }), { needs_attention: 1 });
    assert.equal((await bench.charge(boleto)).refunds.length, 1);
    assert.deepEqual(await outcomes({ ...reversal, day }), { reversed: 1 });
    assert.equal((await bench.charge(boleto)).refunds.length, 2);
  });

  test('keeps money that belongs to no charge, also under the number of a charge', async () => {
    const boleto = await one();
    const before = (await unmatched()).length;
    const counts = await outcomes(
      paid({ ...boleto, number: '000999999001014     ' }),
      paid(boleto, { amountCents: 1_000n, paidCents: 1_000n }),
      paid(boleto, { ownId: 'A'.repeat(25) }),
      entry({ ...boleto, number: '000999998001014     ' }, '02'),
    );
    assert.deepEqual(counts, { unmatched: 4 });
    assert.equal((await unmatched()).length, before + 3);
    assert.equal((await bench.charge(boleto)).state, 'CREATING');
  });

  test('an instruction that the bank refused needs attention; fees and information are noted', async () => {
    const boleto = await one();
    const counts = await outcomes(entry(boleto, '02'), entry(boleto, '26', { reasons: '05' }), entry(boleto, '11'), {
      occurrence: '28',
      number: '',
      feeCents: 199n,
    });
    assert.deepEqual(counts, { registered: 1, needs_attention: 1, noted: 1, fee: 1 });
    const [row] = await bench.service.sql<{ remark: string }>(
      "select remark from boleto_return_entries where outcome = 'needs_attention' order by return_id desc limit 1",
    );
    assert.equal(row?.remark, 'The bank refused an instruction: 05 invalid instruction.');
  });

  test('a file that refuses after it has registered changes nothing', async () => {
    const boleto = await one();
    assert.deepEqual(await outcomes(entry(boleto, '02'), entry(boleto, '03', { reasons: '09' })), {
      registered: 1,
      noted: 1,
    });
    assert.equal((await bench.charge(boleto)).boleto.status, 'REGISTERED');
  });

  test('a boleto that was canceled before the bank registered it is written off', async () => {
    const boleto = await one();
    await bench.service.post(`/charges/${boleto.charge.id}/cancel`, {});
    await bench.service.runJobs();
    await bench.make();
    assert.deepEqual(await outcomes(entry(boleto, '02')), { registered: 1 });
    assert.equal((await bench.charge(boleto)).state, 'CANCELED');
    await bench.service.runJobs();
    assert.equal(await bench.make(), undefined, 'once');
  });
});

/** The deep tier cuts off at every step, the first tier at every fifth. */
const STRIDE = 10 / scaled(10, 2);

describe('a reading that is cut off', () => {
  for (const when of ['before', 'after'] as const) {
    test(`${when} any of its steps resumes without booking twice or losing anything`, async () => {
      for (let calls = 0; ; calls += STRIDE) {
        const [first, second, third, fourth] = await bench.send({}, {}, {}, {});
        const bytes = bytesOf(
          returnLines(
            '756',
            [
              entry(first!, '02'),
              paid(first!),
              entry(first!, '44', { paidCents: AMOUNT }),
              paid(second!),
              entry(third!, '09', { reasons: '13' }),
              entry(fourth!, '03', { reasons: '16' }),
              paid({ ...second!, number: `0008${String(sequence).padStart(5, '0')}001014     ` }),
            ],
            { sequence: ++sequence },
          ),
        );
        const isCut = await bench.readThrough(failingAfter(calls, when), bytes).then(
          () => false,
          (error: Error) => error.message === 'killed' || Promise.reject(error),
        );
        const { file } = await bench.read(bytes);
        const counts = { registered: 1, paid: 2, reversed: 1, written_off: 1, rejected: 1, unmatched: 1 };
        assert.deepEqual(file.counts, counts, `after ${calls} calls`);
        const charges = await Promise.all([first, second, third, fourth].map(boleto => bench.charge(boleto!)));
        assert.deepEqual(
          charges.map(({ state, payments, refunds }) => [state, payments.length, refunds.length]),
          [
            ['REFUNDED', 1, 1],
            ['PAID', 1, 0],
            ['EXPIRED', 0, 0],
            ['FAILED', 0, 0],
          ],
        );
        if (!isCut) {
          assert.ok(calls > 8, 'the reading has several steps');
          break;
        }
      }
      const env = { TRILHO_MODE: 'live', DATABASE_URL: bench.service.databaseUrl };
      assert.equal((await runCommand(ledgerCommand, env, ['check'])).code, 0);
    });
  }
});

describe('a file that is not a return of an agreement', () => {
  const rows = () => bench.service.sql('select from boleto_returns');
  const refused = async (bytes: Buffer, pattern: RegExp, agreement?: string) => {
    const before = (await rows()).length;
    await assert.rejects(
      bench.read(bytes, agreement),
      error => error instanceof CnabError && pattern.test(error.message),
    );
    assert.equal((await rows()).length, before, 'nothing is written');
  };
  const lines = (day?: string) => returnLines('756', [], { sequence: 900, ...(day !== undefined && { day }) });

  test('is refused in one sentence', async () => {
    const whole = bytesOf(lines());
    await refused(
      bytesOf(returnLines('341', [])),
      /^The file is from bank 341, and no agreement with that bank is configured\.$/,
    );
    await refused(
      bytesOf(returnLines('341', [])),
      /is from bank 341, but sicoob:main is an agreement with bank 756/,
      RAIL,
    );
    await refused(whole, /^There is no agreement itau\. Configured: sicoob:main\.$/, 'itau');
    await refused(bytesOf(lines('17112024')), /^The file was made on 2024-11-17, more than a year ago\.$/);
    await refused(bytesOf(lines('17112027')), /^The file was made on 2027-11-17, which is in the future\.$/);
    await refused(whole.subarray(0, whole.length - 300), /its end is missing/);
    await refused(whole.subarray(300), /beginning is missing|not CNAB 240/);
    await refused(Buffer.from('Dear customer,\r\nhello'), /not CNAB 240/);
    await refused(Buffer.from('PK\u0003\u0004'), /ZIP archive/);
    await refused(Buffer.alloc(0), /empty/);
  });

  test('of another holder, bank account or agreement is refused', async () => {
    const [header = '', ...rest] = lines();
    const changed = (from: number, text: string) =>
      bytesOf([header.slice(0, from - 1) + text + header.slice(from - 1 + text.length), ...rest]);
    const other =
      /^The file does not look like one of sicoob:main, the agreement with bank 756: name the agreement if it is\.$/;
    await refused(changed(19, '99888777000161'), other);
    await refused(changed(59, '000000009999'), other);
    await refused(changed(33, '00000000000000099999'), other);
  });

  test('that belongs to another agreement is refused also when one is named, as for each file of a server', async () => {
    const account = { agency: '1111', accountNumber: '77777', beneficiaryCode: '99999' };
    const second = agreementEntry('756', { name: 'sicoob:second', ...account });
    const two = await startFileExchange('756', { name: RAIL }, [second]);
    try {
      await assert.rejects(
        two.read(bytesOf(lines()), 'sicoob:second'),
        /^CnabError: The file belongs to the agreement sicoob:main, not sicoob:second\.$/,
      );
      assert.deepEqual(await two.service.sql('select from boleto_returns'), []);
      assert.equal((await two.read(bytesOf(lines()), RAIL)).file.rail, RAIL);
    } finally {
      await two.stop();
    }
  });

  test('that matches two agreements is refused until one is named', async () => {
    const second = agreementEntry('756', { name: 'sicoob:second', firstNumber: '501' });
    const two = await startFileExchange('756', { name: RAIL, lastNumber: '500' }, [second]);
    try {
      await assert.rejects(
        two.read(bytesOf(lines())),
        /^CnabError: The file may belong to sicoob:main, sicoob:second: name one\.$/,
      );
      assert.equal((await two.read(bytesOf(lines()), 'sicoob:second')).file.rail, 'sicoob:second');
    } finally {
      await two.stop();
    }
  });
});
