// Reads CSV statements. Separator and columns come from the header, which may follow a few lines about the account. Columns
// without a known name are ignored.
import { amountOf, centsOf } from './amount.ts';
import { type Columns, cardColumnOf, columnsOf } from './csv-columns.ts';
import { rowAt, SEPARATORS, type Separator } from './csv-rows.ts';
import { directedCents, directionWord, entryOrExitWord } from './direction.ts';
import { txidAsId } from './pix-ids.ts';
import { csvPosted } from './posted.ts';
import { StatementError } from './statement-error.ts';
import { directed, isBalance, lineCounter, oneLine, type StatementLine } from './statement-line.ts';

/** The number of lines in which the header is searched. */
const MAX_LINES_ABOVE_HEADER = 50;

/** What the operator knows about the bank. */
type Options = { readonly debitsHaveMinus?: boolean };

/**
 * The rows of a CSV statement in order, each with its line number. A row that cannot be read is a fault, and so is one whose amount may be
 * a credit or a debit; empty rows and balances are skipped. Refuses a file whose header names no date and amount, or two amounts, and the
 * statement of a credit card.
 */
export function* readCsv(text: string, { debitsHaveMinus = false }: Options = {}): Generator<StatementLine> {
  const header = headerOf(text);
  const lineAt = lineCounter(text);
  let start = header.next;
  // Every row advances in the text, and the caller limits its length.
  while (start < text.length) {
    const line = lineAt(start);
    const row = rowAt(text, start, header.separator);
    start = row.next;
    const fields = row.fields.map(oneLine);
    if (row.broken === undefined && fields.every(field => field === '')) continue;
    const read = row.broken ?? readRow(fields, header, debitsHaveMinus);
    if (typeof read === 'string') yield { line, message: read };
    else if (read) yield { line, ...read };
  }
}

type Header = { readonly separator: Separator; readonly columns: Columns; readonly next: number };

/** Tries each separator until a line is a header. */
function headerOf(text: string): Header {
  let start = 0;
  for (let line = 0; line < MAX_LINES_ABOVE_HEADER && start < text.length; line++) {
    for (const separator of SEPARATORS) {
      const { fields, next } = rowAt(text, start, separator);
      const columns = columnsOf(fields);
      if (!columns) continue;
      const card = cardColumnOf(fields);
      if (card !== undefined) {
        throw new StatementError(
          `The file is the statement of a credit card (column «${card}»): its purchases would be read as money received.`,
        );
      }
      if (columns.at.amount.length > 1) {
        throw new StatementError('The header names two columns that could be the amount.');
      }
      return { separator, columns, next };
    }
    const newline = text.indexOf('\n', start);
    start = newline === -1 ? text.length : newline + 1;
  }
  throw new StatementError(
    `The file is not a CSV statement: its first ${MAX_LINES_ABOVE_HEADER} lines have no heading with a date and an amount.`,
  );
}

/** The entry of a row; or, as text, why it cannot be read; undefined when it shows a balance. */
function readRow(fields: readonly string[], { columns, separator }: Header, debitsHaveMinus: boolean) {
  const { count, at } = columns;
  const cells = (places: readonly number[]) => places.map(place => fields[place] ?? '').filter(cell => cell !== '');
  const first = (places: readonly number[]) => fields[places[0] ?? -1] ?? '';
  const directions = [
    ...cells(at.direction).map(cell => ({ cell, direction: directionWord(cell) })),
    ...cells(at.entryOrExit).map(cell => ({ cell, direction: entryOrExitWord(cell) })),
  ];
  const named = directions.flatMap(({ direction }) => direction ?? []);
  // A column «tipo» may hold the kind of movement («Pix enviado», «Saldo anterior») in place of the direction.
  const unnamed = directions.flatMap(({ cell, direction }) => (direction === undefined ? cell : []));
  const texts = [...cells(at.text), ...unnamed];
  if (texts.length > 0 && texts.every(isBalance)) return undefined;
  // With a comma as separator an unquoted 10,00 fills two columns: it must not be read as 10.
  const extra = fields.slice(count).some(field => field !== '');
  if (extra || (separator === ',' && fields.length < count)) return 'The row has not as many columns as the header.';
  const time = first(at.time);
  const posted = csvPosted(time === '' ? first(at.date) : `${first(at.date)} ${time}`);
  if (!posted) return 'The date is not a date as dd/mm/yyyy or yyyy-mm-dd.';
  const amount = at.amount.length > 0 ? amountOf(first(at.amount)) : undefined;
  const cents = amount
    ? directedCents({ amount, named, unnamed, texts, unknown: cells(columns.unknown) }, debitsHaveMinus)
    : at.amount.length === 0 && sidedCents(first(at.credit), first(at.debit));
  if (typeof cents === 'string') return cents;
  if (typeof cents !== 'bigint') return 'The amount is not one in reais and cents.';
  const id = first(at.id);
  const document = first(at.document);
  // Some banks call the txid «identificador». A static code can be paid twice, so a txid does not identify a payment.
  const isTxid = txidAsId(id) !== undefined;
  return {
    posted,
    amountCents: cents,
    texts,
    bankId: isTxid ? '' : id,
    documentNumber: isTxid ? id : document,
    otherIds: [document],
    txidColumn: first(at.txid),
    endToEndIdColumn: first(at.endToEndId),
  };
}

/** Columns for credit and debit: exactly one is filled, or the other is zero; a debit may have a sign. */
function sidedCents(credit: string, debit: string): bigint | undefined {
  const creditCents = credit === '' ? 0n : centsOf(credit);
  const debitCents = debit === '' ? 0n : centsOf(debit);
  if (creditCents === undefined || debitCents === undefined || (credit === '' && debit === '')) return undefined;
  if (creditCents !== 0n && debitCents !== 0n) return undefined;
  return creditCents !== 0n ? creditCents : directed(debitCents, 'debit');
}
