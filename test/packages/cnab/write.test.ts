// Files to banks: every record of every bank, by columns that are written here independently.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Agreement, Instruction } from '../../../packages/cnab/src/agreement.ts';
import { CNAB_BANKS } from '../../../packages/cnab/src/banks.ts';
import { checkAgreement } from '../../../packages/cnab/src/check-agreement.ts';
import { CnabError } from '../../../packages/cnab/src/cnab-error.ts';
import { explainFile } from '../../../packages/cnab/src/explain.ts';
import { rowsOf, type Table } from '../../../packages/cnab/src/record.ts';
import { fileWriter } from '../../../packages/cnab/src/write.ts';
import { AGREEMENTS, BANKS, HEAD, TITLE } from './agreements.ts';

const register: Instruction = { movement: 'register', title: TITLE };

function linesFor(agreement: Agreement, instructions: readonly Instruction[] = [register]): string[] {
  const writer = fileWriter(agreement, HEAD);
  const text = instructions.map(instruction => writer.add(instruction)).join('') + writer.end();
  assert.ok(text.endsWith('\r\n'));
  return text.slice(0, -2).split('\r\n');
}

const columns = (line = '', from = 1, to = from) => line.slice(from - 1, to);

function agreementOf(bank: string): Agreement {
  const agreement = AGREEMENTS[bank];
  assert.ok(agreement);
  return agreement;
}

for (const bank of BANKS) {
  test(`every table of bank ${bank} covers each of its 240 columns once`, () => {
    const { sent, returned } = CNAB_BANKS.get(bank)!;
    for (const table of [...Object.values(sent), ...Object.values(returned)]) {
      assert.doesNotThrow(() => rowsOf(table as Table));
    }
  });

  test(`a file for bank ${bank} has complete records, correct counts, and no problem for the check`, () => {
    const agreement = agreementOf(bank);
    assert.deepEqual(checkAgreement(agreement), []);
    const lines = linesFor(agreement, [register, register]);
    assert.ok(lines.every(line => /^[ -~]{240}$/.test(line)));
    assert.deepEqual(
      lines.map(line => (columns(line, 8) === '3' ? columns(line, 14) : columns(line, 8))),
      ['0', '1', 'P', 'Q', 'R', 'P', 'Q', 'R', '5', '9'],
    );
    assert.equal(columns(lines[8], 18, 23), '000008');
    assert.equal(columns(lines[9], 18, 29), '000001000010');
    const records = explainFile(Buffer.from(lines.join('\r\n')));
    let end = records.next();
    while (!end.done) {
      assert.deepEqual(
        end.value.fields.filter(({ fault }) => fault),
        [],
      );
      end = records.next();
    }
    assert.deepEqual(end.value, { warnings: [], faults: 0 });
  });

  test(`bank ${bank} gets amount, days, payer and own id at the columns of the norm`, () => {
    const [, , P, Q, R] = linesFor(agreementOf(bank));
    assert.equal(columns(P, 78, 100), '10122026000000000012345');
    assert.equal(columns(P, 110, 117), '17112026');
    assert.equal(columns(P, 119, 126), '11122026');
    assert.equal(columns(P, 196, 220), 'ABCDEFGHIJ0123456789KLMNO');
    assert.equal(columns(Q, 18, 50), '1000052998224725JOSE DA CONCEICAO');
    assert.equal(columns(Q, 129, 153), '01001000SAO PAULO      SP');
    assert.equal(columns(R, 66, 89), '211122026000000000000200');
  });
}

/** Of the title 42, its check digits computed by hand: columns 38 to 57 of segment P; Santander begins at 45. */
const NUMBERS: readonly (readonly [bank: string, from: number, text: string])[] = [
  ['001', 38, '12345670000000042   '],
  ['033', 45, '0000000000426'],
  ['104', 38, '00014000000000000042'],
  ['237', 38, '00900000000000000429'],
  ['341', 38, '109000000423        '],
  ['756', 38, '000000042801014     '],
];

test('each bank gets the nosso número in its own form', () => {
  for (const [bank, from, text] of NUMBERS) {
    assert.equal(columns(linesFor(agreementOf(bank))[2], from, 57), text, bank);
  }
});

test('carteira and espécie have the codes of the bank', () => {
  const segmentP = (agreement: Agreement) => linesFor(agreement).find(line => line[13] === 'P');
  const bb = agreementOf('001');
  for (const [carteira, code] of [
    ['17', '7'],
    ['11', '1'],
    ['12', '1'],
  ] as const) {
    assert.equal(columns(segmentP({ ...bb, account: { ...bb.account, carteira } }), 58), code, carteira);
  }
  const species = (bank: string) => columns(segmentP(agreementOf(bank)), 107, 108);
  assert.deepEqual(
    BANKS.map(bank => [bank, species(bank)]),
    BANKS.map(bank => [bank, bank === '341' ? '01' : '02']),
  );
  assert.equal(columns(segmentP({ ...agreementOf('341'), species: '08' }), 107, 108), '08');
});

test('interest is a percent a month, or an amount a day if the bank has no percent', () => {
  const interest = (bank: string) => columns(linesFor(agreementOf(bank))[2], 118, 141);
  assert.equal(interest('001'), '211122026000000000000100');
  assert.equal(interest('104'), '211122026000000000000100');
  // 1 % of R$ 123.45 a month is 4.115 cents a day, truncated.
  assert.equal(interest('033'), '111122026000000000000004');
  assert.equal(interest('341'), '011122026000000000000004');
});

test('a write-off names the title with its own code and has no segment R', () => {
  const lines = linesFor(agreementOf('001'), [{ movement: 'write_off', title: TITLE }]);
  assert.equal(columns(lines[2], 16, 17), '02');
  assert.deepEqual(
    lines.slice(2, -2).map(line => columns(line, 14)),
    ['P', 'Q'],
  );
});

const DISCOUNTS = [
  { code: '1', day: '2026-11-30', hundredths: 1_000n },
  { code: '1', day: '2026-12-05', hundredths: 500n },
  { code: '1', day: '2026-12-10', hundredths: 250n },
] as const;

test('the first discount and the abatement are in segment P, the second and the third in R', () => {
  const title = { ...TITLE, abatementCents: 345n, discounts: DISCOUNTS };
  const [, , P, , R] = linesFor(agreementOf('001'), [{ movement: 'register', title }]);
  assert.equal(columns(P, 142, 165), '130112026000000000001000');
  assert.equal(columns(P, 181, 195), '000000000000345');
  assert.equal(columns(R, 18, 65), '105122026000000000000500110122026000000000000250');
  const { finePercent: _, ...free } = title;
  const segments = linesFor(agreementOf('001'), [{ movement: 'register', title: free }]).map(line => columns(line, 14));
  assert.deepEqual(segments.slice(2, 5), ['P', 'Q', 'R'], 'a second discount needs the segment');
});

test('a discount without a code at Itaú, and no third one at Santander', () => {
  const title = { ...TITLE, discounts: DISCOUNTS };
  const [, , P, , R] = linesFor(agreementOf('341'), [{ movement: 'register', title }]);
  assert.equal(columns(P, 142, 165), '030112026000000000001000');
  assert.equal(columns(R, 18, 65), '005122026000000000000500010122026000000000000250');
  const [, , , , santander] = linesFor(agreementOf('033'), [{ movement: 'register', title }]);
  assert.equal(columns(santander, 18, 65), `105122026000000000000500${'0'.repeat(24)}`);
});

test('a daily amount of interest is computed after the abatement', () => {
  const title = { ...TITLE, amountCents: 24_690n, abatementCents: 12_345n };
  const [, , P] = linesFor(agreementOf('341'), [{ movement: 'register', title }]);
  assert.equal(columns(P, 127, 141), '000000000000004');
});

test('an explained file names the kind of discount and shows a percent as a percent', () => {
  const discounts = [{ code: '6', day: '2026-12-10', hundredths: 15n }] as const;
  const lines = linesFor(agreementOf('756'), [{ movement: 'register', title: { ...TITLE, discounts } }]);
  const P = [...explainFile(Buffer.from(lines.join('\r\n')))].find(({ name }) => name.startsWith('segment P'));
  const meanings = P!.fields.filter(({ label }) => label.includes('desconto 1')).map(({ meaning }) => meaning);
  assert.deepEqual(meanings, ['percent for each banking day before the due day', '2026-12-10', '0.15 %']);
});

test('a pix is written as segment Y-03 if the bank has it', () => {
  const pix = { keyType: '4', key: 'pix@example.com', txid: 'TX1' };
  const lines = linesFor(agreementOf('033'), [{ movement: 'register', title: { ...TITLE, pix } }]);
  const Y = lines.find(line => columns(line, 14) === 'Y');
  assert.equal(columns(Y, 18, 19), '03');
  assert.equal(columns(Y, 81, 96), '4pix@example.com');
  assert.equal(columns(Y, 159, 161), 'TX1');
  assert.equal(linesFor(agreementOf('001'), [{ movement: 'register', title: { ...TITLE, pix } }]).length, 7);
});

test('a quirk replaces one field, and is refused by name if it does not fit', () => {
  const agreement = { ...agreementOf('341'), quirks: { 'P.deliveredBy': '7' } };
  assert.equal(columns(linesFor(agreement)[2], 62), '7');
  const wrong = { ...agreement, quirks: { 'P.deliveredBy': '77', 'P.unknown': '7', 'Z.line': '7' } };
  assert.deepEqual(
    checkAgreement(wrong).map(({ field }) => field),
    ['quirks.P.deliveredBy', 'quirks.P.unknown', 'quirks.Z.line'],
  );
});

test('an agreement that lacks what the file needs is refused by the name of the field', () => {
  const { transmissionCode, ...without } = agreementOf('033');
  assert.ok(transmissionCode);
  assert.deepEqual(checkAgreement(without), [
    { field: 'transmissionCode', message: 'is required for files of this bank' },
  ]);
  assert.deepEqual(
    checkAgreement({ ...without, bank: '999' }).map(({ field }) => field),
    ['bank'],
  );
});

test('a value that does not fit is refused with the name of its field and without the value', () => {
  const writer = fileWriter(agreementOf('341'), HEAD);
  const long = { ...TITLE, documentNumber: '12345678901' };
  assert.throws(
    () => writer.add({ movement: 'register', title: long }),
    (error: unknown) =>
      error instanceof CnabError &&
      error.message === 'número do documento (P, columns 63 to 72) has more than 10 characters.',
  );
});

test('a new lot begins before the sequence of five digits is used up', () => {
  const writer = fileWriter(agreementOf('756'), HEAD);
  let lines = 0;
  let lotHeaders = 0;
  let text = '';
  for (let index = 0; index < 33_400; index++) {
    text = writer.add(register);
    for (const line of text.trimEnd().split('\r\n')) {
      lines++;
      if (line[7] === '1') lotHeaders++;
    }
  }
  const end = writer.end().trimEnd().split('\r\n');
  assert.equal(lotHeaders, 2);
  assert.equal(columns(end.at(-1), 18, 29), `000002${String(lines + 2).padStart(6, '0')}`);
});
