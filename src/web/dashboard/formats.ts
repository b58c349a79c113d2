// How the dashboard writes money, quantities, numbers, documents and times. Only this file knows the language.
import { formatCnpj, formatCpf } from '@brazilian-utils/brazilian-utils';
import { NETWORKS, SYMBOLS } from '../../chains/asset.ts';
import { coinOf } from '../../chains/networks.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { CURRENCIES } from '../../lib/currency.ts';
import { html, type Piece } from '../html.ts';
import { type Digits, formatsOf, type Language } from '../language.ts';

const LANGUAGE: Language = 'en';

const { money, moment, number, shortDay, decimal, decimalSign } = formatsOf(LANGUAGE);

export const reais = (cents: bigint | number) => money(BigInt(cents));
export const count = number;
export const day = shortDay;

/** Cents as the value of a field, such as `1234.56`. */
export function fieldAmount(cents: bigint): string {
  return `${cents / 100n}${decimalSign}${String(cents % 100n).padStart(2, '0')}`;
}

/** An amount as an example. */
export const EXAMPLE_AMOUNT = fieldAmount(15_990n);

export function when(at: Date | string | undefined): Piece {
  if (at === undefined) return '–';
  const date = typeof at === 'string' ? new Date(at) : at;
  return html`<time datetime="${date.toISOString()}">${closed(moment(date))}</time>`;
}

/** A line may break only between the day and the hour. */
const closed = (text: string) => text.replace(/(?<!,) /g, '\u00a0');

/** The day alone, in São Paulo. */
export function dayOf(at: string): Piece {
  return html`<time datetime="${at}">${closed(shortDay(civilDay(new Date(at))))}</time>`;
}

/** How many decimals of a dollar or a coin are worth showing; banks and exchanges show no more. */
const TOKEN_DIGITS = 6;
const MOST_COIN_DIGITS = 8;
const COIN_DIGITS: ReadonlyMap<string, number> = new Map(
  NETWORKS.map(coinOf).map(({ symbol, decimals }) => [symbol, Math.min(decimals, MOST_COIN_DIGITS)]),
);
/** For a quantity that is too small for the decimals of its asset. */
const FIRST_DIGITS = 3;
/** A quantity that was bought for an amount has as many decimals as its division gave. */
const MOST = 40;

function digitsOf(symbol: string): Digits {
  const name = symbol.toLowerCase();
  const coin = COIN_DIGITS.get(name);
  return { most: coin ?? (SYMBOLS.some(known => known === name) ? TOKEN_DIGITS : MOST) };
}

/** Cuts a decimal for display, but never to zeros only. */
function shownOf(text: string, digits: Digits): string {
  const shown = decimal(text, digits);
  const zeros = /^-?0\.(0*)[1-9]/.exec(text)?.[1]?.length ?? 0;
  return zeros < digits.most ? shown : decimal(text, { most: zeros + FIRST_DIGITS });
}

/** A quantity without its unit, for a title. */
export function quantityText(text: string, symbol: string): string {
  return withUnit(shownOf(text, digitsOf(symbol)), symbol);
}

const withUnit = (shown: string, symbol: string) => `${shown}\u00a0${symbol.toUpperCase()}`;

/** `39,534.20238 USDT`: cut to the decimals of the asset; the full number is in the title. */
export function quantity(text: string, symbol: string): Piece {
  return withWhole(text, digitsOf(symbol), shown => withUnit(shown, symbol));
}

const COST: Digits = { least: 2, most: 2 };
const PRICE: Digits = { least: 2, most: 6 };

/** A cost: a decimal of a currency. */
export const cost = (text: string, currency: string) => moneyOf(text, currency, COST);
/** The price of one unit. */
export const price = (text: string, currency: string) => moneyOf(text, currency, PRICE);

function moneyOf(text: string, currency: string, digits: Digits): Piece {
  return withWhole(text, digits, shown => signOf(currency) + shown);
}

/** The sign before an amount, such as `R$`. */
function signOf(currency: string): string {
  const known = CURRENCIES.find(one => one === currency);
  return known === undefined ? `${currency}\u00a0` : money(0n, known).replace(/[\d.,]+$/, '');
}

/** An amount of the ledger, whose currency is `BRL` or such as `usdt.polygon`. */
export function ledgerAmount(text: string, currency: string): Piece {
  const [symbol = '', network] = currency.split('.');
  return withWhole(text, network === undefined ? COST : digitsOf(symbol), shown => shown);
}

/** The same with its currency. */
export function ledgerLine(text: string, currency: string): Piece {
  return currency === 'BRL' ? cost(text, currency) : [ledgerAmount(text, currency), ` ${currency}`];
}

function withWhole(text: string, digits: Digits, textOf: (shown: string) => string): Piece {
  const shown = shownOf(text, digits);
  const isCut = shown !== decimal(text, { ...digits, most: MOST });
  return isCut ? html`<span class="cut" title="${text}">${textOf(shown)}</span>` : textOf(shown);
}

/** A CPF or CNPJ with its punctuation; other text stays as it is. */
export function documentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{11}$/.test(text)) return formatCpf(text);
  return /^[0-9A-Z]{12}\d{2}$/.test(text) ? formatCnpj(text, { version: 2 }) : text;
}
