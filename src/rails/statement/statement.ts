// Reads bank statements that an operator imports: the entries of the account, with the ids that identify a pix to a
// static key. Pure; `charges/statements/statement.ts` matches the entries to charges.
import type { CivilDay } from '../../lib/civil-days.ts';
import { textOf } from './charset.ts';
import { readCsv } from './csv.ts';
import { readOfx } from './ofx.ts';
import { payerDocumentIn } from './payer-document.ts';
import { endToEndIdIn, txidAsId, txidIn, txidInColumn } from './pix-ids.ts';
import { createReferences } from './references.ts';
import { StatementError } from './statement-error.ts';
import { isReturn, MAX_STATEMENT_FAULTS, oneLine, type ReadLine, type StatementFault } from './statement-line.ts';

/** A year of a busy shop; larger statements must be exported in parts. */
export const MAX_STATEMENT_BYTES = 10 * 1024 * 1024;
export const MAX_STATEMENT_ENTRIES = 100_000;
/** The maximum length of FITID in OFX; a longer id is a misread line. */
const MAX_ID_LENGTH = 255;
/** The stored length of the bank's texts; ids are searched in the full texts. */
const MAX_TEXT_LENGTH = 1_000;
const BETWEEN_TEXTS = ' | ';

export type StatementFormat = 'ofx' | 'csv';

export type StatementOptions = {
  /** The operator says that this bank writes a minus before each debit in a CSV, so an amount without a sign is a credit. */
  readonly debitsHaveMinus?: boolean;
};

export type StatementEntry = {
  /**
   * The same at every import of this entry, and different from every other entry of the file. It is unique within one
   * account only, and over time only as far as the ids of the bank are.
   */
  readonly reference: string;
  readonly postedDay: CivilDay;
  /** The instant, if the bank gave a time of day; noon is often only a filler. */
  readonly postedAt?: Date;
  /** Credits are positive, debits negative. */
  readonly amountCents: bigint;
  readonly text: string;
  /** In upper case; 25 characters unless the statement has a column for it. */
  readonly txid?: string;
  readonly endToEndId?: string;
  /** The CPF or CNPJ of the payer, if the texts have one; `*` for each digit that the bank hides. */
  readonly payerDocument?: string;
  /** Returned money: «devolução», «estorno». It is not a payment, whatever ids come with it. */
  readonly isReturn?: true;
};

type StatementReading = {
  readonly entries: readonly StatementEntry[];
  /** The unreadable lines, in order. The messages contain nothing of the statement. */
  readonly faults: readonly StatementFault[];
};

/**
 * Reads a statement. An unreadable line becomes a fault and does not affect the others. Throws a StatementError for a
 * file that is not of that format, not in reais, or beyond a limit. The same bytes always give the same result.
 */
export function readStatement(
  bytes: Buffer,
  format: StatementFormat,
  options: StatementOptions = {},
): StatementReading {
  if (bytes.length > MAX_STATEMENT_BYTES) {
    throw new StatementError(`The file is larger than ${MAX_STATEMENT_BYTES} bytes. Export a shorter period.`);
  }
  const text = textOf(bytes);
  const referenceOf = createReferences();
  const entries: StatementEntry[] = [];
  const faults: StatementFault[] = [];
  for (const line of format === 'ofx' ? readOfx(text) : readCsv(text, options)) {
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
  const payerDocument = payerDocumentIn(text);
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
    return { line: line.line, message: 'The same entry with the same id appears above; it is counted once.' };
  }
  return {
    reference,
    postedDay: posted.day,
    ...(posted.at && { postedAt: posted.at }),
    amountCents,
    text: cut(text),
    ...(txid !== undefined && { txid }),
    ...(endToEndId !== undefined && { endToEndId }),
    ...(payerDocument !== undefined && { payerDocument }),
    ...(isReturn(text) && { isReturn: true }),
  };
}

/** Banks often repeat the name in the memo; each text is kept once. */
function joined(texts: readonly string[]): string {
  return [...new Set(texts.map(oneLine))].filter(text => text !== '').join(BETWEEN_TEXTS);
}

/** If the cut splits a surrogate pair, the first half is dropped too, because PostgreSQL refuses it. */
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
