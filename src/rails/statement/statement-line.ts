// What both formats are brought to: one line of a statement, either read or told as a fault.
import type { Posted } from './posted.ts';

/** A line that cannot be read, for the operator to look at. */
export type StatementFault = { readonly line: number; readonly message: string };

export type ReadLine = {
  readonly line: number;
  readonly posted: Posted;
  readonly amountCents: bigint;
  /** The bank's words about it, in the order they are shown. */
  readonly texts: readonly string[];
  /** An id that the bank gives to one entry only. */
  readonly bankId: string;
  /** A document number: the bank's own, but many entries may share it. */
  readonly documentNumber: string;
  /** Further ids beside it, which do not tell entries apart but may hold one of a pix. */
  readonly otherIds: readonly string[];
  /** What stands in columns made for these two ids. */
  readonly txidColumn: string;
  readonly endToEndIdColumn: string;
};

export type StatementLine = ReadLine | StatementFault;

export type Direction = 'credit' | 'debit' | undefined;

/**
 * An amount under the direction its bank names beside it. Some banks write debits without a sign, so a named debit is
 * never positive; a negative amount stays negative whatever is named, because money in doubt must not be credited.
 */
export function directed(amountCents: bigint, direction: Direction): bigint {
  return direction === 'debit' && amountCents > 0n ? -amountCents : amountCents;
}

/** One line of text: a statement's line breaks, tabs and control characters mean nothing, and PostgreSQL refuses U+0000. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

// «S A L D O» with gaps is how one bank prints its closing line.
const BALANCE =
  /^(?:saldo|s a l d o)(?: (?:anterior|inicial|final|atual|parcial|disponivel|do dia|em conta|em c\/c|total|total disponivel|total disponivel dia|conta corrente))?$/i;

/** Whether a line tells what the account holds and not that money moved. The whole text must say so, not its beginning. */
export function isBalance(text: string): boolean {
  return BALANCE.test(oneLine(text).normalize('NFD').replace(/\p{M}/gu, ''));
}

/** Tells the line of each place in a text, for places asked in rising order; the whole text is walked once. */
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
