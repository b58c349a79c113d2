// Whether an amount of a CSV is a credit or a debit. Some banks write debits without a sign, so an amount without one is a credit only when
// something says so: otherwise money sent would count as received.
import type { WrittenAmount } from './amount.ts';
import { type Direction, isReturn, withoutAccents } from './statement-line.ts';

const CREDIT_WORDS: readonly string[] = [
  ...['c', 'cr', 'cred', 'credito', 'creditos', 'creditado', 'credit', 'crdt', '+', 'positivo'],
  ...['entrada', 'entradas', 'receita', 'receitas', 'recebido', 'recebida', 'recebimento', 'in', 'incoming'],
];
const DEBIT_WORDS: readonly string[] = [
  ...['d', 'db', 'deb', 'debito', 'debitos', 'debitado', 'debit', 'dbit', '-', 'negativo'],
  ...['saida', 'saidas', 'despesa', 'despesas', 'enviado', 'enviada', 'envio', 'out', 'outgoing'],
];
// Banks begin their texts with the kind of movement; a name or a message further on says nothing. A fee for a received pix
// also says «recebido».
const FEE_WORD = '(?:tarifas?|tar|taxas?|custos?|iof|impostos?)\\b';
const FEE = new RegExp(`^${FEE_WORD}`);
const RECEIVED = new RegExp(`^(?:(?!${FEE_WORD})[a-z]+[ -]+){0,3}receb(?:id[oa]s?|imentos?)\\b`);
const SENT = /^(?:(?:[a-z]+[ -]+){0,3}enviad[oa]s?|debitos?|deb|debitad[oa]|saidas?|envios?)\b/;

/** The direction that a cell names as a whole, as in «D» or «Crédito». */
export function directionWord(cell: string): Direction | undefined {
  const plain = plainWord(cell);
  if (DEBIT_WORDS.includes(plain)) return 'debit';
  return CREDIT_WORDS.includes(plain) ? 'credit' : undefined;
}

/** As `directionWord`, in a column for entries and exits: there E and S count too. */
export function entryOrExitWord(cell: string): Direction | undefined {
  const plain = plainWord(cell);
  if (plain === 'e') return 'credit';
  return plain === 's' ? 'debit' : directionWord(cell);
}

/** The direction in a text of the bank, as in «Pix recebido»; undefined for a text about a return, which may go either way. */
function directionInText(text: string): Direction | undefined {
  const plain = plainText(text);
  if (isReturn(text)) return undefined;
  if (SENT.test(plain)) return 'debit';
  return RECEIVED.test(plain) ? 'credit' : undefined;
}

function plainWord(cell: string): string {
  return plainText(cell).replace(/[.()]/g, '').trim();
}

function plainText(text: string): string {
  return withoutAccents(text).toLowerCase();
}

/** What a row says about the direction of its amount. */
type Evidence = {
  readonly amount: WrittenAmount;
  /** The directions that columns for it name. */
  readonly named: readonly Direction[];
  /** The cells of such columns that name no direction, as «Pix recebido» or «Pagamento». They are among the texts too. */
  readonly unnamed: readonly string[];
  readonly texts: readonly string[];
  /** The cells of columns with unknown names. */
  readonly unknown: readonly string[];
};

/**
 * The amount with its sign; or, as text, why its direction is not known. A debit is never positive, and a
 * negative amount stays negative whatever stands beside it, because doubtful money must not be credited. `debitsHaveMinus`:
 * the operator knows that this bank writes one before each debit. Other rows are not consulted.
 */
export function directedCents(evidence: Evidence, debitsHaveMinus: boolean): bigint | string {
  const { cents, sign } = evidence.amount;
  if (cents <= 0n) return cents;
  const named = new Set(evidence.named);
  if (named.size > 1) return NO_DIRECTION;
  if (named.has('debit')) return -cents;
  if (named.has('credit') || sign !== undefined) return cents;
  const directions = new Set(evidence.texts.flatMap(text => directionInText(text) ?? []));
  if (directions.has('debit')) return directions.size === 1 ? -cents : NO_DIRECTION;
  if (evidence.unknown.some(cell => (directionWord(cell) ?? directionInText(cell)) === 'debit')) return NO_DIRECTION;
  if (evidence.texts.some(text => FEE.test(plainText(text)))) return FEE_WITHOUT_SIGN;
  if (directions.has('credit')) return cents;
  // The column may have its own text for outgoing money.
  if (evidence.unnamed.length > 0) return UNKNOWN_DIRECTION;
  return debitsHaveMinus ? cents : NO_DIRECTION;
}

const NO_DIRECTION =
  'Nothing says whether the amount is a credit or a debit. Name the column that does «Tipo», with C or D; or, if the bank writes a minus before each debit, import with --debits-have-minus.';
const UNKNOWN_DIRECTION =
  'The column for the direction has a word that does not say whether the amount is a credit or a debit. Write C or D there; or, if the column is about something else, name it «Histórico».';
const FEE_WITHOUT_SIGN =
  'Nothing says whether this fee was charged or given back. Write a minus or a plus before its amount.';
