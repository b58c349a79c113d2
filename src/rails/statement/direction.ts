// Whether an amount of a CSV came or went. Some banks write debits without a sign, so an amount without one is a credit
// only when something says so: otherwise money that left would count as received.
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
// Banks begin their texts with the kind of movement; a name or a message further on says nothing.
const RECEIVED = /^(?:[a-z]+[ -]+){0,3}receb(?:id[oa]s?|imentos?)\b/;
const SENT = /^(?:[a-z]+[ -]+){0,3}enviad[oa]s?\b/;

/** The direction that a cell names as a whole, as in «D» or «Crédito». */
export function directionWord(cell: string): Direction | undefined {
  const plain = plainText(cell).replace(/[.()]/g, '').trim();
  if (DEBIT_WORDS.includes(plain)) return 'debit';
  return CREDIT_WORDS.includes(plain) ? 'credit' : undefined;
}

/** The direction in a text of the bank, as in «Pix recebido»; none in a text about a return, which may go either way. */
function directionInText(text: string): Direction | undefined {
  const plain = plainText(text);
  if (isReturn(text)) return undefined;
  if (SENT.test(plain)) return 'debit';
  return RECEIVED.test(plain) ? 'credit' : undefined;
}

function plainText(text: string): string {
  return withoutAccents(text).toLowerCase();
}

/** What a row says about the direction of its amount. */
export type Evidence = {
  readonly amount: WrittenAmount;
  /** The cells of columns for the direction. */
  readonly directions: readonly string[];
  readonly texts: readonly string[];
  /** The cells of columns with unknown names. */
  readonly unknown: readonly string[];
  /** Whether debits of this file have a minus. */
  readonly debitsHaveMinus: boolean;
};

/**
 * The amount with its sign; undefined when nothing says whether it came or went. A debit is never positive, and a negative
 * amount stays negative whatever stands beside it, because doubtful money must not be credited.
 */
export function directedCents(evidence: Evidence): bigint | undefined {
  const { cents, sign } = evidence.amount;
  if (cents <= 0n) return cents;
  const named = new Set(evidence.directions.flatMap(cell => directionWord(cell) ?? []));
  if (named.size > 1) return undefined;
  if (named.has('debit')) return -cents;
  if (named.has('credit') || sign !== undefined) return cents;
  const told = new Set(evidence.texts.flatMap(text => directionInText(text) ?? []));
  if (told.has('debit')) return told.size === 1 ? -cents : undefined;
  if (evidence.unknown.some(cell => directionWord(cell) === 'debit')) return undefined;
  return told.has('credit') || evidence.debitsHaveMinus ? cents : undefined;
}
