// Published CNAB 240 files: returns are read, and files to banks are rewritten from their titles and compared with the
// original field by field.
import assert from 'node:assert/strict';
import { type BoletoAccount, CNAB_BANKS, fileWriter, readEntries, readHead } from '@trilho/cnab';
import {
  type Agreement,
  type DiscountCode,
  type Instruction,
  MOVEMENTS,
  type Movement,
  type Title,
} from '../../packages/cnab/src/agreement.ts';
import { linesOf } from '../../packages/cnab/src/lines.ts';
import { rowsOf, type Table, textOf } from '../../packages/cnab/src/record.ts';
import { collectWarnings } from '../../packages/cnab/src/warnings.ts';
import { isExplained } from './cnab-differences.ts';
import { type Row, startTally } from './report.ts';

export function checkCnab(file: string, bytes: Buffer): Row[] {
  return /\.ret$/i.test(file) ? checkReturn(file, bytes) : checkSent(file, bytes);
}

function checkReturn(file: string, bytes: Buffer): Row[] {
  const tally = startTally(file, 'titles read');
  tally.check('the head', () => assert.ok(CNAB_BANKS.has(readHead(bytes).bank)));
  const segments = [...linesOf(bytes, collectWarnings())].filter(({ text }) => text[13] === 'T').length;
  const entries = [...readEntries(bytes, {})];
  tally.check('every segment T', () => assert.equal(entries.length, segments));
  for (const { line, meaning, numberText, damage } of entries) {
    tally.check(`line ${line}`, () => {
      assert.ok(meaning === 'fee' || /[1-9]/.test(numberText));
      assert.equal(damage, undefined);
    });
  }
  return [tally.row()];
}

function checkSent(file: string, bytes: Buffer): Row[] {
  const tally = startTally(file, 'records written as theirs');
  const theirs = [...linesOf(bytes, collectWarnings())].map(({ text }) => text);
  const ours = writtenAnew(theirs);
  tally.check('the number of records', () => assert.equal(ours.length, theirs.length));
  for (const [index, line] of theirs.entries()) {
    tally.check(`line ${index + 1}`, () => {
      assert.deepEqual(unexplained(line, ours[index] ?? ''), []);
    });
  }
  return [tally.row()];
}

/** The fields that differ, such as `P.dueDay`, without an explanation. */
function unexplained(theirs: string, ours: string): string[] {
  const record = recordOf(theirs);
  return rowsOf(tablesOf(theirs)[record] ?? {}).flatMap(([key, field]) => {
    const [text, other] = [textOf(field, theirs), textOf(field, ours)];
    const name = `${record}.${key}`;
    return text === other || isExplained(name, text, other) ? [] : name;
  });
}

function recordOf(line: string): string {
  const byType: Readonly<Record<string, string>> = {
    0: 'fileHeader',
    1: 'lotHeader',
    5: 'lotTrailer',
    9: 'fileTrailer',
  };
  return byType[line[7] ?? ''] ?? line[13] ?? '';
}

function tablesOf(line: string): { readonly [record: string]: Table | undefined } {
  const bank = CNAB_BANKS.get(line.slice(0, 3));
  assert.ok(bank, 'a bank that is known');
  return bank.sent;
}

/** The text of a field of a line, by the table of its record. */
function fieldOf(line: string, key: string): string {
  const field = tablesOf(line)[recordOf(line)]?.[key];
  return field ? textOf(field, line).trim() : '';
}

function writtenAnew(theirs: readonly string[]): string[] {
  const [header = '', lot = ''] = theirs;
  const titles = theirs.filter(line => recordOf(line) === 'P');
  const agreement = agreementIn(header, lot, titles[0] ?? '', theirs);
  const writer = fileWriter(agreement, {
    sequence: Number(fieldOf(header, 'sequence')),
    day: dayOf(fieldOf(header, 'day')) ?? '',
    time: fieldOf(header, 'time') || '000000',
  });
  const text = titles.map(P => {
    const at = theirs.indexOf(P);
    const rest = theirs.slice(at + 1, at + 4);
    const [Q = '', R] = [rest.find(line => recordOf(line) === 'Q'), rest.find(line => recordOf(line) === 'R')];
    return writer.add(instructionIn(agreement, P, Q, R));
  });
  return (text.join('') + writer.end()).split('\r\n').slice(0, -1);
}

function agreementIn(header: string, lot: string, P: string, all: readonly string[]): Agreement {
  const bank = header.slice(0, 3);
  const number = fieldOf(P, 'ourNumber');
  const convention = fieldOf(header, 'agreement');
  const account: BoletoAccount & { agencyDigit: string } = {
    agency: fieldOf(P, 'agency').replace(/^0(?=\d{4})/, ''),
    agencyDigit: fieldOf(P, 'agencyDigit'),
    accountNumber: fieldOf(P, 'account').replace(/^0+(?=\d)/, ''),
    accountDigit: bank === '341' ? fieldOf(P, 'checkDigit') : fieldOf(P, 'accountDigit'),
    ...codesOf(bank, convention, number, P),
  };
  return {
    bank,
    account,
    holder: { name: fieldOf(header, 'holderName'), document: documentIn(fieldOf(header, 'holderDocument'), header) },
    ...(bank === '001' && { variation: convention.slice(15, 18) }),
    ...(bank === '033' && { transmissionCode: fieldOf(header, 'transmissionCode') }),
    fileVersion: fieldOf(header, 'version'),
    lotVersion: fieldOf(lot, 'version'),
    species: fieldOf(P, 'species'),
    acceptance: fieldOf(P, 'acceptance') === 'A' ? 'A' : 'N',
    emptySegmentR: all.some(line => recordOf(line) === 'R'),
  };
}

/** A file of Sicoob lacks the client's number, and one of Santander a code: any value works. */
function codesOf(bank: string, convention: string, number: string, P: string): BoletoAccount {
  switch (bank) {
    case '001':
      return { beneficiaryCode: convention.slice(2, 9), carteira: convention.slice(13, 15) };
    case '104':
      return { beneficiaryCode: fieldOf(P, 'account').slice(0, 6) };
    case '237':
      return { beneficiaryCode: convention.replace(/^0+/, ''), carteira: number.slice(1, 3) };
    case '341':
      return { carteira: number.slice(0, 3) };
    case '756':
      return { beneficiaryCode: '1', carteira: fieldOf(P, 'collection'), modality: number.slice(12, 14) };
    default:
      return { beneficiaryCode: '1234567', carteira: '101' };
  }
}

function documentIn(text: string, line: string): string {
  const isPerson = line[line.startsWith('033') ? 16 : 17] === '1';
  return text.slice(isPerson ? -11 : -14);
}

function instructionIn({ bank, account }: Agreement, P: string, Q: string, R = ''): Instruction {
  const known = Object.entries(MOVEMENTS).find(([, code]) => code === fieldOf(P, 'movement'));
  const number = fieldOf(P, 'ourNumber').replace(bank === '104' ? /^0+/ : /^$/, '');
  const ourNumber = CNAB_BANKS.get(bank)?.ourNumberIn(number, account);
  assert.ok(known && ourNumber, 'a movement and a number that are known');
  const percent = (text: string) => (Number(text) > 0 ? String(Number(text) / 100) : undefined);
  const isPercent = fieldOf(P, 'interestCode') === '2';
  const finePercent = R === '' ? undefined : percent(fieldOf(R, 'fine'));
  const interestPercent = isPercent ? percent(fieldOf(P, 'interest')) : undefined;
  const title: Title = {
    ourNumber,
    documentNumber: fieldOf(P, 'documentNumber'),
    ownId: fieldOf(P, 'ownId'),
    issueDay: dayOf(fieldOf(P, 'issueDay')) ?? '',
    dueDay: dayOf(fieldOf(P, 'dueDay')) ?? '',
    amountCents: BigInt(fieldOf(P, 'amount')),
    ...(interestPercent !== undefined && { interestPercent }),
    ...(finePercent !== undefined && { finePercent }),
    ...reductionsIn(P, R),
    ...(fieldOf(P, 'writeOffCode') === '1' && { writeOffDays: Number(fieldOf(P, 'writeOffDays')) }),
    payer: {
      name: fieldOf(Q, 'payerName'),
      document: fieldOf(Q, 'payerDocument').slice(Q[17] === '1' ? -11 : -14),
      street: fieldOf(Q, 'street'),
      neighborhood: fieldOf(Q, 'neighborhood'),
      postalCode: fieldOf(Q, 'postalCode'),
      city: fieldOf(Q, 'city'),
      state: fieldOf(Q, 'state'),
    },
  };
  return { movement: known[0] as Movement, title };
}

function reductionsIn(P: string, R: string): Pick<Title, 'abatementCents' | 'discounts'> {
  const abatementCents = BigInt(fieldOf(P, 'rebate') || '0');
  const places = [
    [P, 'discount'] as const,
    ...(R === '' ? [] : [[R, 'discount2'] as const, [R, 'discount3'] as const]),
  ];
  const discounts = places.flatMap(([line, key]) => {
    const [code, day] = [fieldOf(line, `${key}Code`), dayOf(fieldOf(line, `${key}Day`))];
    const hundredths = BigInt(fieldOf(line, key) || '0');
    return hundredths > 0n && day !== undefined ? [{ code: code as DiscountCode, day, hundredths }] : [];
  });
  return {
    ...(abatementCents > 0n && { abatementCents }),
    ...(discounts.length > 0 && { discounts }),
  };
}

function dayOf(text: string): string | undefined {
  return /[1-9]/.test(text) ? `${text.slice(4)}-${text.slice(2, 4)}-${text.slice(0, 2)}` : undefined;
}
