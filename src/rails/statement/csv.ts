// CSV statements: the separator and the columns are learnt from the header, which may stand below a few lines about the
// account. What the header does not name is not read.
import { centsOf } from './amount.ts';
import { type Columns, columnsOf } from './csv-columns.ts';
import { rowAt, SEPARATORS, type Separator } from './csv-rows.ts';
import { txidAsId } from './pix-ids.ts';
import { csvPosted } from './posted.ts';
import { StatementError } from './statement-error.ts';
import { type Direction, directed, isBalance, lineCounter, oneLine, type StatementLine } from './statement-line.ts';

/** How far below the top a header is looked for. */
const MAX_LINES_ABOVE_HEADER = 50;

const CREDITS: readonly string[] = ['c', 'credito', 'credit', 'entrada', 'receita'];
const DEBITS: readonly string[] = ['d', 'debito', 'debit', 'saida', 'despesa'];

/**
 * The rows of a CSV statement in their order, each with the line it begins on. A row that cannot be read is a fault;
 * empty rows and balances are passed over. Refuses a file whose header names no date and amount, or two amounts.
 */
export function* readCsv(text: string): Generator<StatementLine> {
  const { separator, columns, next } = headerOf(text);
  const lineAt = lineCounter(text);
  let start = next;
  // Every row goes forward in the text, whose length the caller has limited.
  while (start < text.length) {
    const line = lineAt(start);
    const row = rowAt(text, start, separator);
    start = row.next;
    if (row.broken !== undefined) {
      yield { line, message: row.broken };
      continue;
    }
    const fields = row.fields.map(oneLine);
    if (fields.every(field => field === '')) continue;
    const read = readRow(fields, columns, separator);
    if (typeof read === 'string') yield { line, message: read };
    else if (read) yield { line, ...read };
  }
}

type Header = { readonly separator: Separator; readonly columns: Columns; readonly next: number };

/** The separator is the one under which a line turns out to be the header. */
function headerOf(text: string): Header {
  let start = 0;
  for (let line = 0; line < MAX_LINES_ABOVE_HEADER && start < text.length; line++) {
    for (const separator of SEPARATORS) {
      const { fields, next } = rowAt(text, start, separator);
      const columns = columnsOf(fields);
      if (!columns) continue;
      if (columns.at.amount.length > 1) {
        throw new StatementError('The header names two columns that could be the amount.');
      }
      return { separator, columns, next };
    }
    const newline = text.indexOf('\n', start);
    start = newline === -1 ? text.length : newline + 1;
  }
  throw new StatementError(
    `The file is not a CSV statement: none of its first ${MAX_LINES_ABOVE_HEADER} lines names a date and an amount.`,
  );
}

/** What a row says; a text says why it cannot be read; undefined when it is no entry. */
function readRow(fields: readonly string[], { count, at }: Columns, separator: Separator) {
  const first = (places: readonly number[]) => fields[places[0] ?? -1] ?? '';
  const texts = at.text.map(place => fields[place] ?? '').filter(text => text !== '');
  if (texts.length > 0 && texts.every(isBalance)) return undefined;
  // An amount such as 10,00 without quotes falls into two columns where the comma separates: it must not be read as 10.
  const extra = fields.slice(count).some(field => field !== '');
  if (extra || (separator === ',' && fields.length < count)) return 'The row has not as many columns as the header.';
  const time = first(at.time);
  const posted = csvPosted(time === '' ? first(at.date) : `${first(at.date)} ${time}`);
  if (!posted) return 'The date is not a date as dd/mm/yyyy or yyyy-mm-dd.';
  const cents =
    at.amount.length > 0
      ? directedCents(first(at.amount), first(at.direction))
      : sidedCents(first(at.credit), first(at.debit));
  if (cents === undefined) return 'The amount is not one in reais and cents.';
  const id = first(at.id);
  const document = first(at.document);
  // Some banks call the txid «identificador». A static code can be paid twice, so that does not tell payments apart.
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

function directedCents(amount: string, direction: string): bigint | undefined {
  const cents = centsOf(amount);
  return cents === undefined ? undefined : directed(cents, directionOf(direction));
}

/** Columns for credit and debit: exactly one is filled, or the other is zero; a debit may be written with its sign. */
function sidedCents(credit: string, debit: string): bigint | undefined {
  const creditCents = credit === '' ? 0n : centsOf(credit);
  const debitCents = debit === '' ? 0n : centsOf(debit);
  if (creditCents === undefined || debitCents === undefined || (credit === '' && debit === '')) return undefined;
  if (creditCents !== 0n && debitCents !== 0n) return undefined;
  return creditCents !== 0n ? creditCents : directed(debitCents, 'debit');
}

/** A column called «tipo» may also say how money moved («PIX»), which tells nothing about its direction. */
function directionOf(value: string): Direction {
  const plain = value.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
  if (DEBITS.includes(plain)) return 'debit';
  return CREDITS.includes(plain) ? 'credit' : undefined;
}
