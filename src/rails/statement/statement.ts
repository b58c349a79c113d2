// Bank statements that an operator imports: what arrived on the account, with the ids by which a pix to a static key is
// recognised. Reading is pure; whoever matches the entries to charges stands above the rails.
import type { CivilDay } from '../../lib/civil-days.ts';
import { textOf } from './charset.ts';
import { readCsv } from './csv.ts';
import { readOfx } from './ofx.ts';
import { endToEndIdIn, txidAsId, txidIn, txidInColumn } from './pix-ids.ts';
import { createReferences } from './references.ts';
import { StatementError } from './statement-error.ts';
import { oneLine, type ReadLine, type StatementFault } from './statement-line.ts';

/** A year of a busy shop; larger statements are exported in parts. */
export const MAX_STATEMENT_BYTES = 10 * 1024 * 1024;
export const MAX_STATEMENT_ENTRIES = 100_000;
/** With so many lines that cannot be read it is not a statement of that format. */
export const MAX_STATEMENT_FAULTS = 10_000;
/** OFX gives FITID so much room; a longer id is a misread line. */
const MAX_ID_LENGTH = 255;
/** What is kept of a bank's words; ids are looked for in all of them. */
const MAX_TEXT_LENGTH = 1_000;
const BETWEEN_TEXTS = ' | ';

export type StatementFormat = 'ofx' | 'csv';

export type StatementEntry = {
  /**
   * The same whenever this entry is imported again, and never that of another entry of the file. It is unique for one
   * account only, and as unique over time as the bank's ids are.
   */
  readonly reference: string;
  readonly postedDay: CivilDay;
  /** The moment as the bank wrote it, where it told an hour; noon is often only a bank's way to fill the field. */
  readonly postedAt?: Date;
  /** Credits are positive, debits negative. */
  readonly amountCents: bigint;
  readonly text: string;
  /** In upper case, as ours are; 25 characters unless the statement has a column for it. */
  readonly txid?: string;
  readonly endToEndId?: string;
};

export type StatementReading = {
  readonly entries: readonly StatementEntry[];
  /** The lines that could not be read, in their order. The messages hold nothing of the statement's content. */
  readonly faults: readonly StatementFault[];
};

/**
 * Reads a statement. A line that cannot be read becomes a fault and the others still come; a StatementError is thrown
 * for a file that is not of that format, not in reais, or beyond a limit. The same bytes always give the same reading.
 */
export function readStatement(bytes: Buffer, format: StatementFormat): StatementReading {
  if (bytes.length > MAX_STATEMENT_BYTES) {
    throw new StatementError(`The file is larger than ${MAX_STATEMENT_BYTES} bytes. Export a shorter period.`);
  }
  const text = textOf(bytes);
  const referenceOf = createReferences();
  const entries: StatementEntry[] = [];
  const faults: StatementFault[] = [];
  for (const line of format === 'ofx' ? readOfx(text) : readCsv(text)) {
    const read = 'message' in line ? line : entryOf(line, referenceOf);
    if ('message' in read) faults.push(read);
    else entries.push(read);
    if (entries.length > MAX_STATEMENT_ENTRIES) {
      throw new StatementError(`The file has more than ${MAX_STATEMENT_ENTRIES} entries. Export a shorter period.`);
    }
    if (faults.length > MAX_STATEMENT_FAULTS) {
      throw new StatementError(
        `More than ${MAX_STATEMENT_FAULTS} lines cannot be read. Is the file ${format.toUpperCase()}?`,
      );
    }
  }
  return { entries, faults };
}

function entryOf(line: ReadLine, referenceOf: ReturnType<typeof createReferences>): StatementEntry | StatementFault {
  const { posted, amountCents, bankId, documentNumber } = line;
  if (bankId.length > MAX_ID_LENGTH || documentNumber.length > MAX_ID_LENGTH) {
    return { line: line.line, message: `The bank's id is longer than ${MAX_ID_LENGTH} characters.` };
  }
  const text = joined(line.texts);
  const ids = [bankId, documentNumber, ...line.otherIds];
  const txid = txidInColumn(line.txidColumn) ?? txidIn(text) ?? firstOf(ids, txidAsId);
  const endToEndId = firstOf([line.endToEndIdColumn, text, ...ids], endToEndIdIn);
  const reference = referenceOf({
    bankId,
    documentNumber,
    content: {
      day: posted.day,
      at: posted.at?.toISOString(),
      amountCents: String(amountCents),
      text,
      txid,
      endToEndId,
    },
  });
  if (reference === undefined) {
    return { line: line.line, message: 'The same entry with the same id stands above; it is counted once.' };
  }
  return {
    reference,
    postedDay: posted.day,
    ...(posted.at && { postedAt: posted.at }),
    amountCents,
    text: cut(text),
    ...(txid !== undefined && { txid }),
    ...(endToEndId !== undefined && { endToEndId }),
  };
}

/** Banks often repeat the name in the memo; each text is told once. */
function joined(texts: readonly string[]): string {
  return [...new Set(texts.map(oneLine))].filter(text => text !== '').join(BETWEEN_TEXTS);
}

/** A cut through a character of two halves drops its first half, which PostgreSQL could not hold. */
function cut(text: string): string {
  return text.length <= MAX_TEXT_LENGTH ? text : text.slice(0, MAX_TEXT_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

function firstOf(values: readonly string[], find: (value: string) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
