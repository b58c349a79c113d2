// Explains a CNAB 240 file to or from any bank, field by field, with its problems. For people: nothing is stored.

import { DISCOUNT_CODES, type DiscountCode, MOVEMENTS, PERCENT_DISCOUNTS } from './agreement.ts';
import { CNAB_BANKS } from './banks.ts';
import { CnabError } from './cnab-error.ts';
import { countRecords } from './counts.ts';
import { percent } from './kinds.ts';
import { type Line, linesOf, requireCnab240 } from './lines.ts';
import { SEGMENT_T, SEGMENT_U, SEGMENT_Y03 } from './norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from './norm-sent.ts';
import { occurrenceOf } from './occurrences.ts';
import { isFromBank, readEntries, readHead } from './read.ts';
import { reasonsOf } from './reasons.ts';
import { readValue, rowsOf, type Table, textOf } from './record.ts';
import { collectWarnings, type Warning, type Warnings } from './warnings.ts';

export type ExplainedField = {
  readonly from: number;
  readonly to: number;
  readonly label: string;
  /** The characters in the file. */
  readonly text: string;
  /** Their meaning, when that is not the same. */
  readonly meaning?: string;
  readonly fault?: string;
};

export type ExplainedRecord = {
  readonly line: number;
  readonly name: string;
  readonly fields: readonly ExplainedField[];
};

export type ExplainedEnd = { readonly warnings: readonly Warning[]; readonly faults: number };

/** Throws a CnabError for a file that is not CNAB 240. */
export function* explainFile(bytes: Uint8Array): Generator<ExplainedRecord, ExplainedEnd> {
  requireCnab240(bytes);
  const warnings = collectWarnings();
  const counts = countRecords(warnings);
  let faults = 0;
  let last: Line | undefined;
  let isReturned = false;
  for (const line of linesOf(bytes, warnings)) {
    if (last === undefined && !CNAB_BANKS.has(line.text.slice(0, 3))) {
      warnings.add(
        `bank ${line.text.slice(0, 3)} is not known here: its records are explained by the norm alone`,
        line.number,
      );
    }
    counts.take(line);
    if (line.text[7] === '1') isReturned = line.text[8] === 'T';
    last = line;
    const record = explainRecord(line, isReturned, warnings);
    faults += record.fields.filter(({ fault }) => fault !== undefined).length;
    yield record;
  }
  if (last?.text[7] !== '9') warnings.add('the file trailer is missing: this is not the whole file');
  const known = new Set(warnings.list().map(({ message }) => message));
  const asRead = isFromBank(bytes) ? problemsAsRead(bytes).filter(({ message }) => !known.has(message)) : [];
  return { warnings: [...warnings.list(), ...asRead], faults };
}

/** What `trilho cnab read` reports about a return: why it is refused, its warnings, and entries that cannot be booked. */
function problemsAsRead(bytes: Uint8Array): readonly Warning[] {
  const problems = collectWarnings();
  try {
    if (readHead(bytes).day === undefined) problems.add('the file names no day, so that it may be of any year');
    const entries = readEntries(bytes, {});
    for (let next = entries.next(); ; next = entries.next()) {
      if (next.done) return [...problems.list(), ...next.value.warnings];
      if (next.value.damage !== undefined) problems.add(`not booked: ${next.value.damage}`, next.value.line);
    }
  } catch (error) {
    if (!(error instanceof CnabError)) throw error;
    return [{ message: error.message, line: 0, count: 1 }];
  }
}

const NAMES: Readonly<Record<string, string>> = {
  fileHeader: 'file header',
  lotHeader: 'lot header',
  lotTrailer: 'lot trailer',
  fileTrailer: 'file trailer',
  P: 'segment P: title',
  Q: 'segment Q: payer',
  R: 'segment R: fine, discounts, messages',
  T: 'segment T: title',
  U: 'segment U: what happened to it',
  Y03: 'segment Y-03: pix',
};

function explainRecord({ number, text }: Line, isReturned: boolean, warnings: Warnings): ExplainedRecord {
  const kind = kindOf(text);
  const table = kind && tableOf(text.slice(0, 3), kind, isReturned);
  if (!table) {
    const name = text[7] === '3' ? `segment ${text[13]}` : `record type ${text[7]}`;
    warnings.add(`${name} is not known here`, number);
    return { line: number, name, fields: [] };
  }
  const fields = rowsOf(table).map(([key, field]) => {
    const { label, from, to } = field;
    const { value, fault } = readValue(field, text);
    const shown =
      value === undefined ? undefined : (meaningOf(key, text, textOf(field, text)) ?? field.kind.show(value));
    const raw = textOf(field, text);
    return {
      ...{ from, to, label, text: raw },
      ...(shown !== undefined && shown !== raw.trim() && { meaning: shown }),
      ...(fault !== undefined && { fault }),
    };
  });
  return { line: number, name: NAMES[kind] ?? kind, fields };
}

function kindOf(text: string): string | undefined {
  switch (text[7]) {
    case '0':
      return 'fileHeader';
    case '1':
      return 'lotHeader';
    case '5':
      return 'lotTrailer';
    case '9':
      return 'fileTrailer';
    case '3':
      return text[13] === 'Y' && text.slice(17, 19) === '03' ? 'Y03' : text[13];
    default:
      return undefined;
  }
}

const NORM: { readonly [kind: string]: Table | undefined } = {
  fileHeader: FILE_HEADER,
  lotHeader: LOT_HEADER,
  P: SEGMENT_P,
  Q: SEGMENT_Q,
  R: SEGMENT_R,
  T: SEGMENT_T,
  U: SEGMENT_U,
  Y03: SEGMENT_Y03,
  lotTrailer: LOT_TRAILER,
  fileTrailer: FILE_TRAILER,
};

/** A bank's own table if it has one for this direction; headers and trailers of returns have the layout of the norm. */
function tableOf(bankCode: string, kind: string, isReturned: boolean): Table | undefined {
  const bank = CNAB_BANKS.get(bankCode);
  const tables: { readonly [kind: string]: Table | undefined } | undefined = isReturned ? bank?.returned : bank?.sent;
  return tables?.[kind] ?? NORM[kind];
}

function meaningOf(key: string, line: string, text: string): string | undefined {
  const isReturnedTitle = line[13] === 'T' || line[13] === 'U';
  if (line[7] !== '3') return undefined;
  const bank = line.slice(0, 3);
  if (key === 'movement' && isReturnedTitle) return occurrenceOf(bank, text).text;
  if (key === 'movement')
    return Object.entries(MOVEMENTS)
      .find(([, code]) => code === text)?.[0]
      .replaceAll('_', ' ');
  if (line[13] === 'P' || line[13] === 'R') return meaningOfDiscount(key, line, text);
  if (key !== 'reasons') return undefined;
  const reasons = reasonsOf(occurrenceOf(bank, line.slice(15, 17)).meaning, text);
  return reasons.map(({ code, text }) => `${code} ${text}`).join('; ') || undefined;
}

/** The field of a segment that says whether a discount is an amount or a percent. */
const DISCOUNT_CODE_COLUMNS: Readonly<Record<string, number>> = { discount: 142, discount2: 18, discount3: 42 };

function meaningOfDiscount(key: string, line: string, text: string): string | undefined {
  if (/^discount\d?Code$/.test(key)) return DISCOUNT_CODES[text as DiscountCode];
  const column = DISCOUNT_CODE_COLUMNS[key];
  if (column === undefined || !PERCENT_DISCOUNTS.includes(line[column - 1] ?? '')) return undefined;
  const { value } = percent.read(text);
  return value === undefined ? undefined : percent.show(value);
}
