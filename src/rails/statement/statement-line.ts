// The common form of both formats: a line of a statement, either read or a fault.
import type { Posted } from './posted.ts';

/** With this many unreadable lines the file is not a statement of that format. */
export const MAX_STATEMENT_FAULTS = 10_000;

/** A line that cannot be read, shown to the operator. */
export type StatementFault = { readonly line: number; readonly message: string };

export type ReadLine = {
  readonly line: number;
  readonly posted: Posted;
  readonly amountCents: bigint;
  /** The texts of the bank, in their order. */
  readonly texts: readonly string[];
  /** An id that the bank gives to one entry only. */
  readonly bankId: string;
  /** A document number of the bank, which several entries may share. */
  readonly documentNumber: string;
  /** Further ids, which do not identify the entry but may contain the id of a pix. */
  readonly otherIds: readonly string[];
  /** The contents of the columns for these two ids. */
  readonly txidColumn: string;
  readonly endToEndIdColumn: string;
};

export type StatementLine = ReadLine | StatementFault;

export type Direction = 'credit' | 'debit';

/**
 * Applies the direction that the bank names to an amount. Some banks write debits without a sign, so a debit is never
 * positive. A negative amount stays negative whatever the direction, because doubtful money must not be credited.
 */
export function directed(amountCents: bigint, direction: Direction | undefined): bigint {
  return direction === 'debit' && amountCents > 0n ? -amountCents : amountCents;
}

/** Joins a text into one line: line breaks, tabs and control characters have no meaning, and PostgreSQL refuses U+0000. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

const RETURN =
  /\b(?:devolu(?:cao|coes)|devolvid[oa]s?|estornos?|estornad[oa]s?|reembolsos?|cancelad[oa]s?|cancelamentos?|revers(?:ao|oes)|retornad[oa]s?|rejeitad[oa]s?|refund(?:ed)?|reversal|chargeback)\b/i;
// Banks shorten these words where they name the kind of movement, at the beginning; further on «Dev» may be a name.
const SHORTENED_RETURN =
  /^\s*(?:(?:devol|dev|estor|est)\b\.?\s*(?:de\s+)?pix\b|pix\s+(?:devol\b|dev\.|estor\b|est\.))/i;

/** Whether a text speaks of money that goes back to where it came from. */
export function isReturn(text: string): boolean {
  const plain = withoutAccents(text);
  return RETURN.test(plain) || SHORTENED_RETURN.test(plain);
}

export function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '');
}

// One bank prints its closing line as «S A L D O», with spaces.
const BALANCE =
  /^(?:saldo|s a l d o)(?: (?:anterior|inicial|final|atual|parcial|disponivel|do dia|em conta|em c\/c|total|total disponivel|total disponivel dia|conta corrente|bloqueado|do periodo|(?:inicial|final) do periodo))?(?: (?:em |de |do dia |dia )?\d{1,2}\/\d{1,2}(?:\/\d{2,4})?)?$/i;

/** Whether a line shows a balance and not a movement. The whole text must match, not only its beginning. */
export function isBalance(text: string): boolean {
  return BALANCE.test(withoutAccents(oneLine(text)));
}

/** Returns the line number of an offset. Offsets must rise, so that the text is scanned once. */
export function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let newline = text.indexOf('\n');
  return offset => {
    while (newline !== -1 && newline < offset) {
      line++;
      newline = text.indexOf('\n', newline + 1);
    }
    return line;
  };
}
