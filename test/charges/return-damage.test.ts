// Returns that were damaged on their way: cut lines, wrong digits, characters that a database cannot store. Nothing is booked of an
// unreadable line, and the complete file is booked once when it arrives.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SentBoleto } from '../harness/file-exchange.ts';
import { AMOUNT, type ReturnBench, startReturns } from '../harness/return-bench.ts';
import { bytesOf } from '../packages/cnab/return-lines.ts';

const TYPE = { 'content-type': 'application/octet-stream' };
const [T, U] = [2, 3];

let bank: ReturnBench;
before(async () => {
  bank = await startReturns('756');
});
after(() => bank.stop());

const upload = async (bytes: Buffer) => {
  const body = Uint8Array.from(bytes);
  return bank.service.send('/boletos/returns', { method: 'POST', body, headers: TYPE });
};
const bring = async (lines: readonly string[]) => {
  const { status, json, text } = await upload(bytesOf(lines));
  assert.equal(status, 201, text);
  return json;
};
const put = (line: string, column: number, text: string) =>
  line.slice(0, column - 1) + text + line.slice(column - 1 + text.length);
/** Everything after the first digit of the amount is a column too early. */
const withoutDigit = (line: string) => line.slice(0, 77) + line.slice(78);
const amounts = async (boleto: SentBoleto) =>
  (await bank.charge(boleto)).payments.map(({ amountCents }: { amountCents: number }) => amountCents);

for (const [what, damage, remark] of [
  ['cut inside the amount', [U, (line: string) => line.slice(0, 90)], /^Line 4 is cut off in valor pago\./],
  ['cut before the amount', [U, (line: string) => line.slice(0, 77)], /^Line 4 is cut off before valor pago\./],
  ['cut inside a day', [U, (line: string) => line.slice(0, 141)], /^Line 4 is cut off in data da ocorrência\./],
  ['cut before the day', [U, (line: string) => line.slice(0, 137)], /^Line 4 is cut off before data da ocorrência\./],
  ['cut inside the amount of the title', [T, (line: string) => line.slice(0, 90)], /^Line 3 is cut off in valor\./],
  ['cut inside the number of the title', [T, (line: string) => line.slice(0, 45)], /^Line 3 is cut off before valor\./],
  ['with blanks in its amount', [U, (line: string) => put(line, 90, '   ')], /^Line 4 has no amount in valor pago\./],
  ['with letters in its amount', [U, (line: string) => put(line, 90, 'O')], /^Line 4 has no amount in valor pago\./],
  [
    'shifted by a digit to the left',
    [U, (line: string) => withoutDigit(put(line, 108, '0'.repeat(30)))],
    /^Line 4 has no day in data da ocorrência\./,
  ],
  [
    'shifted by a digit to the right',
    [U, (line: string) => `${line.slice(0, 77)}0${line.slice(77, 239)}`],
    /^Line 4 has no day in data da ocorrência\./,
  ],
  [
    'with zero bytes in its amount',
    [U, (line: string) => put(line, 91, '\0')],
    /^Line 4 has no amount in valor pago\./,
  ],
] as const) {
  for (const reversed of [false, true]) {
    test(`a ${reversed ? 'reversal' : 'payment'} in a line ${what} waits for a person, and the complete line counts once`, async () => {
      const boleto = await bank.one();
      if (reversed) await bank.outcomes(bank.paid(boleto));
      const lines = bank.lines(reversed ? bank.entry(boleto, '44', { paidCents: AMOUNT }) : bank.paid(boleto));
      const before = [await bank.charge(boleto), await bank.unmatched()];
      const [at, change] = damage;
      const broken = await bring(lines.with(at, change(lines[at]!)));
      assert.deepEqual(broken.counts, { needs_attention: 1 });
      assert.match((await bank.remark()) ?? '', remark);
      assert.deepEqual([await bank.charge(boleto), await bank.unmatched()], before, 'nothing is booked');
      assert.deepEqual((await bring(lines)).counts, { [reversed ? 'reversed' : 'paid']: 1 });
      assert.deepEqual(await amounts(boleto), [Number(AMOUNT)]);
      assert.equal((await bank.charge(boleto)).state, reversed ? 'REFUNDED' : 'PAID');
    });
  }
}

test('money whose title is missing waits for a person, and the complete file books it once', async () => {
  const [first, second] = [await bank.one(), await bank.one()];
  const lines = bank.lines(bank.paid(first), bank.paid(second));
  const broken = await bring(lines.toSpliced(T + 2, 1));
  assert.deepEqual(broken.counts, { paid: 1, needs_attention: 1 });
  assert.match((await bank.remark()) ?? '', /^Its segment T is missing\. Nothing of it was booked/);
  const alone = await bring(lines.toSpliced(T, 1).toSpliced(T, 1));
  assert.deepEqual(alone.counts, { paid: 1 });
  assert.deepEqual((await bring(lines)).counts, { repeated: 2 });
  assert.deepEqual([await amounts(first), await amounts(second)], [[Number(AMOUNT)], [Number(AMOUNT)]]);
});

test('a placeholder for an unknown day is not read as a day', async () => {
  for (const creditDay of ['01010001', '31129999', '01010000']) {
    const boleto = await bank.one();
    assert.deepEqual((await bring(bank.lines(bank.paid(boleto, { creditDay })))).counts, { paid: 1 });
    const [payment] = (await bank.charge(boleto)).payments;
    assert.equal(payment.creditDay, undefined);
  }
});

test('lines without the blanks at their ends are read as usual', async () => {
  const boleto = await bank.one();
  const lines = bank.lines(bank.entry(boleto, '02'), bank.paid(boleto));
  assert.deepEqual((await bring(lines.map(line => line.trimEnd()))).counts, { registered: 1, paid: 1 });
  assert.deepEqual((await bring(lines)).counts, { repeated: 2 });
});

test('control characters count as blanks, with a warning, and the file is read to the end', async () => {
  const boleto = await bank.one();
  const lines = bank.lines(bank.paid(boleto));
  // In the name of the payer, in the document number, and after the last line.
  const odd = lines.with(T, put(put(lines[T]!, 150, 'JOS\0 \u0007\u0085'), 59, 'A\0B'));
  const { status, json, text } = await upload(Buffer.concat([bytesOf(odd), Buffer.alloc(300)]));
  assert.equal(status, 201, text);
  assert.deepEqual([json.counts, json.isFinished], [{ paid: 1 }, true]);
  assert.match(JSON.stringify(json.warnings), /control characters are in the line; blanks are assumed/);
  assert.deepEqual(await amounts(boleto), [Number(AMOUNT)]);
});

test('a file without a day in its header is judged by its other days', async () => {
  const boleto = await bank.one();
  const undated = (lines: readonly string[]) => lines.with(0, put(lines[0]!, 144, '00000000'));
  const refused = async (lines: readonly string[], detail: RegExp) => {
    const { status, json } = await upload(bytesOf(undated(lines)));
    assert.equal(status, 400);
    assert.match(json.detail, detail);
  };
  const old = bank.lines(bank.paid(boleto, { day: '17112024' }));
  await refused(old, /The file was made on 2024-11-17, more than a year ago\.$/);
  const today = bank.lines(bank.paid(boleto));
  await refused(
    today.with(1, put(today[1]!, 192, '17112024')),
    /The file was made on 2024-11-17, more than a year ago\.$/,
  );
  await refused(bank.lines(bank.entry(boleto, '02', { day: '' })), /The file has no date, so its year is unknown\.$/);
  assert.deepEqual(await amounts(boleto), []);
  assert.deepEqual((await bring(undated(today))).counts, { paid: 1 });
  const zip = await upload(Buffer.from('PK\u0003\u0004'));
  assert.equal(zip.json.detail, 'body cannot be taken. The file is a ZIP archive. Unpack it first.');
});
