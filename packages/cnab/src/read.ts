// Reads a return of a bank. Tolerant: anything unusual about the file is a warning, and its titles are still read. A file that is
// not CNAB 240, or lacks its beginning or its end, is refused before any title is read.

import { type ReturnedTables, returned } from './bank.ts';
import { CNAB_BANKS } from './banks.ts';
import type { BoletoAccount } from './boleto/account.ts';
import { CnabError } from './cnab-error.ts';
import { countRecords } from './counts.ts';
import { damageOf, namesMoney } from './damage.ts';
import type { CivilDay } from './days.ts';
import { type Line, lastLine, linesOf, requireCnab240 } from './lines.ts';
import { SEGMENT_T, SEGMENT_U } from './norm-returned.ts';
import { FILE_HEADER, LOT_HEADER } from './norm-sent.ts';
import type { Meaning } from './occurrence.ts';
import { occurrenceOf } from './occurrences.ts';
import { type Reason, reasonsOf } from './reasons.ts';
import { fieldValue } from './record.ts';
import { collectWarnings, type Warning, type Warnings } from './warnings.ts';

export type ReturnHead = {
  readonly bank: string;
  readonly sequence: number;
  /** The day on which it was made, or the last day in it; absent if it names no day. */
  readonly day?: CivilDay;
  /** The first line, to check whose file it is. */
  readonly header: string;
};

/** What happened to a title. */
export type ReturnEntry = {
  /** Of its first record in the file. */
  readonly line: number;
  readonly occurrence: string;
  readonly meaning: Meaning;
  readonly text: string;
  readonly reasons: readonly Reason[];
  /** The field of the nosso número as it is, and the sequential part of it where the account is known. */
  readonly numberText: string;
  readonly ourNumber?: string;
  readonly ownId?: string;
  readonly documentNumber?: string;
  readonly dueDay?: CivilDay;
  readonly amountCents: bigint;
  readonly paidCents: bigint;
  readonly creditedCents: bigint;
  readonly feeCents: bigint;
  /** What the bank deducted from the title: for an early payment, and by an abatement. */
  readonly discountCents: bigint;
  readonly abatementCents: bigint;
  readonly occurrenceDay?: CivilDay;
  readonly creditDay?: CivilDay;
  /** Of the pix of the boleto, if the return has it. */
  readonly location?: string;
  /** Its unreadable part, for a person: such an entry must not be booked. */
  readonly damage?: string;
  /** Its records without their positions in the file: the same when the file is sent again. */
  readonly content: string;
};

export type ReturnEnd = { readonly warnings: readonly Warning[] };

/** Whether the file comes from a bank; also for an unreadable file. */
export function isFromBank(bytes: Uint8Array): boolean {
  const [first, second] = firstLines(bytes);
  return isReturn(first?.text ?? '', second?.text);
}

/** Refuses a file that is not a complete return. */
export function readHead(bytes: Uint8Array): ReturnHead {
  requireCnab240(bytes);
  const [first, second] = firstLines(bytes);
  const header = first?.text ?? '';
  if (!isReturn(header, second?.text)) {
    throw new CnabError('The file goes to a bank (remessa). A return comes from it (retorno).');
  }
  if (!/^\d{7}9/.test(lastLine(bytes))) throw new CnabError('The file has no file trailer: its end is missing.');
  const bank = header.slice(0, 3);
  if (!CNAB_BANKS.has(bank)) throw new CnabError(`Files of bank ${bank} are not supported.`);
  const day = fieldValue(FILE_HEADER.day, header) ?? lotDay(second?.text) ?? lastDay(bytes);
  return { bank, sequence: Number(fieldValue(FILE_HEADER.sequence, header) ?? 0), ...(day && { day }), header };
}

/** Some banks omit it in the file header and have it in the lot header. */
function isReturn(header: string, second = ''): boolean {
  return fieldValue(FILE_HEADER.direction, header) === '2' || (second[7] === '1' && second[8] === 'T');
}

function lotDay(second = ''): CivilDay | undefined {
  return second[7] === '1' ? fieldValue(LOT_HEADER.day, second) : undefined;
}

/** The last day on which something happened to a title: for a file whose headers name no day. */
function lastDay(bytes: Uint8Array): CivilDay | undefined {
  let last: CivilDay | undefined;
  for (const { text } of linesOf(bytes, collectWarnings())) {
    if (text[7] !== '3' || text[13] !== 'U') continue;
    const day = fieldValue(SEGMENT_U.occurrenceDay, text);
    if (day !== undefined && (last === undefined || day > last)) last = day;
  }
  return last;
}

function firstLines(bytes: Uint8Array): readonly Line[] {
  const lines = linesOf(bytes, collectWarnings());
  return [lines.next(), lines.next()].flatMap(({ done, value }) => (done ? [] : value));
}

/** The entries of a file whose head was read. The generator returns the warnings. */
export function* readEntries(bytes: Uint8Array, account: BoletoAccount): Generator<ReturnEntry, ReturnEnd> {
  const warnings = collectWarnings();
  const counts = countRecords(warnings);
  let open: Title | undefined;
  for (const line of linesOf(bytes, warnings)) {
    counts.take(line);
    if (line.text[7] !== '3') continue;
    const segment = line.text[13] ?? '';
    if (segment === 'T') {
      if (open) yield entryOf(open, account, warnings);
      open = { T: line };
    } else if (segment === 'U' && open && !open.U) open.U = line;
    else if (segment === 'Y' && line.text.slice(17, 19) === '03' && open) open.Y = line;
    else if (segment === 'U') {
      warnings.add('a segment U follows no segment T', line.number);
      if (namesMoney(line, SEGMENT_U)) yield withoutTitle(line);
    } else warnings.add(`segment ${segment} is not known and passed over`, line.number);
  }
  if (open) yield entryOf(open, account, warnings);
  return { warnings: warnings.list() };
}

type Title = { readonly T: Line; U?: Line; Y?: Line };

function entryOf(title: Title, account: BoletoAccount, warnings: Warnings): ReturnEntry {
  const { T: line, U, Y } = title;
  const bankCode = line.text.slice(0, 3);
  const bank = CNAB_BANKS.get(bankCode);
  const tables: ReturnedTables = bank?.returned ?? returned(SEGMENT_T);
  const T = <V>(field: { readonly from: number } & Parameters<typeof fieldValue<V>>[0]) =>
    fieldValue<V>(field, line.text);
  const occurrence = line.text.slice(15, 17);
  const { meaning, text } = occurrenceOf(bankCode, occurrence);
  if (meaning === 'unknown') warnings.add(`occurrence ${occurrence} is not known`, line.number);
  if (!U) warnings.add('a segment T has no segment U', line.number);
  if (U && U.text.slice(15, 17) !== occurrence) warnings.add('segments T and U name different occurrences', U.number);
  const numberText = T(tables.T.ourNumber) ?? '';
  const ourNumber = bank?.ourNumberIn(numberText, account);
  if (meaning === 'fee' && !/[1-9]/.test(numberText)) warnings.add('a fee names no title', line.number);
  const paidCents = (U && fieldValue(tables.U.paid, U.text)) ?? 0n;
  if (meaning === 'paid' && paidCents === 0n) warnings.add('a payment has no amount', line.number);
  const optional = {
    ourNumber,
    ownId: nameIn(T(tables.T.ownId)),
    documentNumber: nameIn(T(tables.T.documentNumber)),
    dueDay: T(tables.T.dueDay),
    occurrenceDay: U && fieldValue(tables.U.occurrenceDay, U.text),
    creditDay: U && fieldValue(tables.U.creditDay, U.text),
    location: Y && fieldValue(tables.Y03.location, Y.text)?.trim(),
    damage: damageOf(tables, meaning, line, U),
  };
  return {
    line: line.number,
    occurrence,
    meaning,
    text,
    reasons: reasonsOf(meaning, T(tables.T.reasons) ?? ''),
    numberText,
    ...definedOf(optional),
    amountCents: T(tables.T.amount) ?? 0n,
    paidCents,
    creditedCents: (U && fieldValue(tables.U.credited, U.text)) ?? 0n,
    feeCents: T(tables.T.fee) ?? 0n,
    discountCents: (U && fieldValue(tables.U.discount, U.text)) ?? 0n,
    abatementCents: (U && fieldValue(tables.U.rebate, U.text)) ?? 0n,
    content: [line, U, Y].map(record => record?.text.slice(13).trimEnd() ?? '').join('\n'),
  };
}

/** Money whose title is missing. */
function withoutTitle({ number, text }: Line): ReturnEntry {
  const occurrence = text.slice(15, 17);
  return {
    ...{ line: number, occurrence, ...occurrenceOf(text.slice(0, 3), occurrence), reasons: [], numberText: '' },
    amountCents: 0n,
    paidCents: fieldValue(SEGMENT_U.paid, text) ?? 0n,
    creditedCents: fieldValue(SEGMENT_U.credited, text) ?? 0n,
    feeCents: 0n,
    discountCents: fieldValue(SEGMENT_U.discount, text) ?? 0n,
    abatementCents: fieldValue(SEGMENT_U.rebate, text) ?? 0n,
    damage: 'Its segment T is missing.',
    content: text.slice(13).trimEnd(),
  };
}

/** Zeros stand for nothing. */
function nameIn(text = ''): string | undefined {
  return /[^0 ]/.test(text) ? text.trim() : undefined;
}

function definedOf<T extends object>(fields: T): { [key in keyof T]?: Exclude<T[key], undefined> } {
  const defined: { [key in keyof T]?: Exclude<T[key], undefined> } = {};
  for (const key in fields) {
    const value = fields[key];
    if (value !== undefined) defined[key] = value as Exclude<T[typeof key], undefined>;
  }
  return defined;
}
