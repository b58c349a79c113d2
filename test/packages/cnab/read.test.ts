// Returns of banks: their contents, also with damaged or unusual lines.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CnabError } from '../../../packages/cnab/src/cnab-error.ts';
import { type ReturnEntry, readEntries, readHead } from '../../../packages/cnab/src/read.ts';
import type { Warning } from '../../../packages/cnab/src/warnings.ts';
import { fileWriter } from '../../../packages/cnab/src/write.ts';
import { randomOf } from '../../harness/random.ts';
import { AGREEMENTS, BANKS, HEAD, TITLE } from './agreements.ts';
import { bytesOf, type Entry, line, returnLines } from './return-lines.ts';

function entriesOf(bank: string, bytes: Buffer): { entries: ReturnEntry[]; warnings: readonly Warning[] } {
  const generated = readEntries(bytes, AGREEMENTS[bank]!.account);
  const entries: ReturnEntry[] = [];
  for (let next = generated.next(); ; next = generated.next()) {
    if (next.done) return { entries, warnings: next.value.warnings };
    entries.push(next.value);
  }
}

const messagesOf = (warnings: readonly Warning[]) => warnings.map(({ message }) => message);

/** The nosso número as each bank returns it. */
function numberText(bank: string, ourNumber: string): string {
  const number = (width: number) => ourNumber.padStart(width, '0');
  switch (bank) {
    case '001':
      return `1234567${number(10)}`;
    case '033':
      return `${number(12)}0`;
    case '104':
      return `14${number(15)}`;
    case '237':
      return `00900000${number(11)}P`;
    case '341':
      return `109${number(8)}3`;
    default:
      return `00${number(7)}801014`;
  }
}

const PAID: Entry = {
  ...{ occurrence: '06', number: numberText('001', '42'), ownId: 'ABC', amountCents: 12_345n, paidCents: 12_600n },
  ...{ feeCents: 250n, day: '10122026', creditDay: '11122026', reasons: '61' },
};

for (const bank of BANKS) {
  test(`any return of bank ${bank} is read as it was written`, () => {
    for (let index = 0; index < 200; index++) {
      const random = randomOf(2026, index);
      const ourNumber = String(1 + random.below(9_999_999));
      const written: Entry = {
        occurrence: random.pick(['02', '03', '06', '09', '17', '44']),
        number: numberText(bank, ourNumber),
        ownId: `OWN${random.below(1e9)}`,
        amountCents: BigInt(random.below(1e9)),
        paidCents: BigInt(random.below(1e9)),
        feeCents: BigInt(random.below(1e4)),
        day: '10122026',
        creditDay: '11122026',
      };
      const { entries } = entriesOf(bank, bytesOf(returnLines(bank, [written])));
      const [entry] = entries;
      assert.equal(entries.length, 1);
      assert.equal(Number(entry?.ourNumber), Number(ourNumber), `case ${index}`);
      assert.equal(entry?.ownId, written.ownId);
      assert.deepEqual(
        [entry?.occurrence, entry?.amountCents, entry?.paidCents, entry?.feeCents],
        [written.occurrence, written.amountCents, written.paidCents, written.feeCents],
      );
      assert.deepEqual([entry?.occurrenceDay, entry?.creditDay], ['2026-12-10', '2026-12-11']);
    }
  });
}

test('occurrences and reasons have a description', () => {
  const [paid, rejected, fee] = entriesOf(
    '001',
    bytesOf(
      returnLines('001', [
        PAID,
        { occurrence: '03', number: PAID.number, reasons: '084800' },
        { occurrence: '28', number: '0'.repeat(20), reasons: 'B3' },
      ]),
    ),
  ).entries;
  assert.deepEqual([paid?.meaning, paid?.text, paid?.reasons], ['paid', 'paid', [{ code: '61', text: 'by pix' }]]);
  assert.equal(rejected?.meaning, 'rejected');
  assert.deepEqual(
    rejected?.reasons.map(({ text }) => text),
    ['invalid nosso número', 'invalid postal code'],
  );
  assert.deepEqual([fee?.meaning, fee?.reasons[0]?.text], ['fee', 'registration']);
});

test('changes that banks and editors make to lines are warnings, and do not change what is read', () => {
  const lines = returnLines('001', [PAID]);
  const plain = entriesOf('001', bytesOf(lines));
  assert.deepEqual(plain.warnings, []);
  const crlf = (texts: readonly string[]) => texts.map(text => `${text}\r\n`).join('');
  const odd: readonly (readonly [Buffer, RegExp])[] = [
    [Buffer.from(`\u{feff}${crlf(lines)}`), /byte order mark/],
    // Joined by a program: the UTF-8 mark before lines in Latin-1, here with an accent in a column that is not read.
    [Buffer.from(`\u00ef\u00bb\u00bf${crlf([...lines].with(0, withAccent(lines[0])))}`, 'latin1'), /byte order mark/],
    [Buffer.from(`${crlf(lines)}\u001a`), /\^Z/],
    [Buffer.from(crlf(lines.map(text => text.trimEnd()))), /fewer than 240/],
    [Buffer.from(crlf(lines.map(text => `${text} `))), /more than 240/],
    [Buffer.from(crlf(lines).toLowerCase()), /in lower case; upper case is assumed/],
  ];
  for (const [bytes, warning] of odd) {
    assert.equal(readHead(bytes).bank, '001');
    const { entries, warnings } = entriesOf('001', bytes);
    assert.deepEqual(entries, plain.entries);
    assert.match(messagesOf(warnings)[0] ?? '', warning);
  }
});

test('lines that end with CR alone, and blanks behind the trailer, change nothing', () => {
  const lines = returnLines('001', [PAID]);
  const plain = entriesOf('001', bytesOf(lines));
  const others = [
    lines.map(text => `${text}\r`).join(''),
    `${lines.map(text => `${text}\n`).join('')}${' '.repeat(10_000)}`,
    `${lines.join('\r\n')}${'\r\n\0 '.repeat(5_000)}`,
  ];
  for (const text of others) {
    const bytes = Buffer.from(text, 'latin1');
    assert.equal(readHead(bytes).bank, '001');
    assert.deepEqual(entriesOf('001', bytes).entries, plain.entries);
  }
});

test('the trailer of a lot of Santander may count the records of titles alone', () => {
  const warningsOf = (bank: string) => {
    const lines = returnLines(bank, [PAID]);
    const trailer = lines.length - 2;
    const counted = lines.with(trailer, `${lines[trailer]!.slice(0, 17)}000002${lines[trailer]!.slice(23)}`);
    return messagesOf(entriesOf(bank, bytesOf(counted)).warnings);
  };
  assert.deepEqual(warningsOf('033'), []);
  assert.deepEqual(warningsOf('001'), ['the trailer counts other records of its lot than there are']);
});

const withAccent = (text = '') => `${text.slice(0, 239)}\u00e3`;

test('wrong counts, unknown segments, unknown occurrences and lonely segments are warnings', () => {
  const lines = returnLines('001', [PAID, { ...PAID, occurrence: '99' }]);
  lines.splice(4, 0, line([1, '0010001300003W 06']), line([1, '0010001300004U 06']));
  const { entries, warnings } = entriesOf('001', bytesOf(lines));
  assert.equal(entries.length, 2);
  assert.deepEqual(messagesOf(warnings), [
    'segment W is not known and passed over',
    'a segment U follows no segment T',
    'the trailer counts other records of its lot than there are',
    'the trailer counts other records of the file than there are',
    'occurrence 99 is not known',
  ]);
});

test('the same title in another place of another file has the same content', () => {
  const [once] = entriesOf('001', bytesOf(returnLines('001', [PAID]))).entries;
  const [, twice] = entriesOf(
    '001',
    bytesOf(returnLines('001', [{ ...PAID, paidCents: 1n }, PAID], { sequence: 10 })),
  ).entries;
  assert.equal(once?.content, twice?.content);
});

test('an incomplete return, or another file, is refused in one sentence', () => {
  const lines = returnLines('001', [PAID]);
  const writer = fileWriter(AGREEMENTS['001']!, HEAD);
  const sent = writer.add({ movement: 'register', title: TITLE }) + writer.end();
  const refused: readonly (readonly [Buffer, string])[] = [
    [Buffer.from(''), 'The file is empty.'],
    [Buffer.from('Dear bank,\n'), 'The file is not CNAB 240: its first line is no record of one.'],
    [Buffer.from('PK\u0003\u0004'), 'The file is a ZIP archive. Unpack it first.'],
    [Buffer.from([0x1f, 0x8b, 8]), 'The file is compressed (gzip). Unpack it first.'],
    [Buffer.from('02RETORNO'.padEnd(400)), 'The file is CNAB 400. Ask the bank for CNAB 240.'],
    [Buffer.from(sent), 'The file goes to a bank (remessa). A return comes from it (retorno).'],
    [bytesOf(lines.slice(0, -1)), 'The file has no file trailer: its end is missing.'],
    [bytesOf(lines.slice(1)), 'The file has no file header: its beginning is missing.'],
    [bytesOf(returnLines('999', [])), 'Files of bank 999 are not supported.'],
  ];
  for (const [bytes, message] of refused) {
    assert.throws(
      () => readHead(bytes),
      (error: unknown) => error instanceof CnabError && error.message === message,
      message,
    );
  }
});

test('the head has bank, sequence and day', () => {
  const { bank, sequence, day } = readHead(bytesOf(returnLines('756', [PAID], { sequence: 77 })));
  assert.deepEqual([bank, sequence, day], ['756', 77, '2026-11-17']);
});
