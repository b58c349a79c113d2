// Writes a file to a bank, record by record, so that a file of any size needs the memory of one title. Strict: a value that
// does not fit its field, or an agreement that lacks one, is refused before a record is written.
import assert from 'node:assert/strict';
import type { Agreement, Instruction } from './agreement.ts';
import type { SegmentName, SentTables } from './bank.ts';
import { CNAB_BANKS } from './banks.ts';
import { CnabError } from './cnab-error.ts';
import type { CivilDay } from './days.ts';
import { type AnyField, rowsOf, type Table, widthOf } from './record.ts';
import type { FileEnd, FileSource, LotEnd, LotSource, TitleSource } from './sources.ts';

/** What the headers of a file state. */
export type FileHead = { readonly sequence: number; readonly day: CivilDay; readonly time: string };

export type FileWriter = {
  /** The records of an instruction, with headers and trailers as they become due. Throws a CnabError that names the field. */
  add(instruction: Instruction): string;
  /** The last records. A file without an instruction is refused: banks refuse it too. */
  end(): string;
};

/** The sequence of a record within its lot has five digits. */
const MAX_LOT_LINES = 99_999;
/** An instruction has at most P, Q, R and Y-03. */
const MAX_SEGMENTS = 4;
const LINE_END = '\r\n';

/**
 * @example
 * const writer = fileWriter(agreement, { sequence: 42, day: '2026-11-17', time: '093000' });
 * const text = writer.add({ movement: 'register', title }) + writer.end();
 */
export function fileWriter(agreement: Agreement, head: FileHead): FileWriter {
  const bank = CNAB_BANKS.get(agreement.bank);
  assert(bank, 'the agreement was checked');
  const records = recordsOf(agreement);
  const versions = bank.versionsOf(agreement);
  const file: FileSource = {
    ...head,
    agreement,
    fileVersion: agreement.fileVersion ?? versions.file,
    lotVersion: agreement.lotVersion ?? versions.lot,
  };
  let lots = 0;
  let recordCount = 0;
  let line = 0;
  let titles = 0;
  let totalCents = 0n;

  const record = (text: string): string => {
    recordCount++;
    return text + LINE_END;
  };
  const openLot = () => {
    lots++;
    line = 0;
    titles = 0;
    totalCents = 0n;
    return record(records.lotHeader({ ...file, lot: lots }));
  };
  const closeLot = () => record(records.lotTrailer({ ...file, lot: lots, records: line + 2, titles, totalCents }));

  return {
    add(instruction) {
      // All records are made before any of them counts, so that a refused title leaves the file unchanged.
      const isFull = line + MAX_SEGMENTS > MAX_LOT_LINES;
      const [lot, before] = lots === 0 || isFull ? [lots + 1, 0] : [lots, line];
      const segments = bank.segmentsOf(instruction.movement).filter(name => isNeeded(name, agreement, instruction));
      const texts = segments.flatMap((name, index) => {
        return records[name]?.({ ...file, ...instruction, lot, line: before + index + 1 }) ?? [];
      });
      const opening = lots === 0 ? record(records.fileHeader(file)) : isFull ? closeLot() : '';
      const text = opening + (lot === lots ? '' : openLot()) + texts.map(record).join('');
      line += texts.length;
      titles++;
      totalCents += instruction.title.amountCents;
      return text;
    },
    end() {
      assert(lots > 0, 'a file has an instruction');
      const closed = closeLot();
      return closed + record(records.fileTrailer({ ...file, lots, records: recordCount + 1 }));
    },
  };
}

function isNeeded(segment: SegmentName, agreement: Agreement, { title }: Instruction): boolean {
  if (segment === 'R') {
    const hasMoreDiscounts = (title.discounts ?? []).length > 1;
    return title.finePercent !== undefined || hasMoreDiscounts || agreement.emptySegmentR === true;
  }
  return segment !== 'Y03' || title.pix !== undefined;
}

type Write<Source> = (source: Source) => string;
type Records = {
  readonly fileHeader: Write<FileSource>;
  readonly lotHeader: Write<LotSource>;
  readonly lotTrailer: Write<LotEnd>;
  readonly fileTrailer: Write<FileEnd>;
} & { readonly [segment in SegmentName]: Write<TitleSource> | undefined };

function recordsOf(agreement: Agreement): Records {
  const { sent } = CNAB_BANKS.get(agreement.bank)!;
  const { quirks = {} } = agreement;
  return {
    fileHeader: recordWriter('fileHeader', sent.fileHeader, quirks),
    lotHeader: recordWriter('lotHeader', sent.lotHeader, quirks),
    P: recordWriter('P', sent.P, quirks),
    Q: recordWriter('Q', sent.Q, quirks),
    R: recordWriter('R', sent.R, quirks),
    Y03: sent.Y03 && recordWriter('Y03', sent.Y03, quirks),
    lotTrailer: recordWriter('lotTrailer', sent.lotTrailer, quirks),
    fileTrailer: recordWriter('fileTrailer', sent.fileTrailer, quirks),
  };
}

function recordWriter<Source>(
  name: keyof SentTables,
  table: Table<Source>,
  quirks: Readonly<Record<string, string>>,
): Write<Source> {
  // Most columns of a record are the same in every file: they are written once, and joined.
  const parts: (string | AnyField<Source>)[] = [];
  for (const [key, field] of rowsOf(table)) {
    const fixed = quirks[`${name}.${key}`] ?? (field.source ? undefined : field.kind.write(undefined, widthOf(field)));
    const last = parts.at(-1);
    if (fixed === undefined) parts.push(field);
    else if (typeof last === 'string') parts[parts.length - 1] = last + fixed;
    else parts.push(fixed);
  }
  return source => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : writeField(name, part, source);
    return text;
  };
}

function writeField<Source>(record: string, field: AnyField<Source>, source: Source): string {
  const { label, from, to, kind } = field;
  try {
    return kind.write(field.source?.(source), widthOf(field));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CnabError(`${label} (${record}, columns ${from} to ${to}) ${error.message}.`);
  }
}
