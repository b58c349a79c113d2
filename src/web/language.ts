// The language of a page, and how it writes money, days and times. The texts themselves are beside each page.
import type { FastifyRequest } from 'fastify';
import type { CivilDay } from '../lib/civil-days.ts';
import type { Currency } from '../lib/currency.ts';

export const LANGUAGES = ['pt-BR', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The texts of a page in each language; the second must have all that the first has. */
export type ByLanguage<T> = Readonly<Record<Language, T>>;

/** The language of `?lang=`, else the best of `Accept-Language`; Portuguese by default, since payers are in Brazil. */
export function languageOf({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): Language {
  const asked = typeof query === 'object' && query !== null && 'lang' in query ? query.lang : undefined;
  return (typeof asked === 'string' ? languageNamed(asked) : undefined) ?? preferred(headers['accept-language'] ?? '');
}

function preferred(accepted: string): Language {
  const ranges = accepted.split(',').map(part => {
    const [tag = '', ...parameters] = part.split(';').map(piece => piece.trim());
    const weight = parameters.find(parameter => parameter.startsWith('q='));
    return { tag, weight: weight === undefined ? 1 : Number(weight.slice('q='.length)) };
  });
  const best = ranges.filter(({ weight }) => weight > 0).sort((one, other) => other.weight - one.weight);
  for (const { tag } of best) {
    const language = languageNamed(tag);
    if (language) return language;
  }
  return 'pt-BR';
}

function languageNamed(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split('-');
  return LANGUAGES.find(language => language.toLowerCase().split('-')[0] === primary);
}

export type Formats = {
  /** Cents as money: R$ 1.234,56, in English R$ 1,234.56. */
  money(cents: bigint, currency?: Currency): string;
  /** 10 de dezembro de 2026. */
  day(day: CivilDay): string;
  /** 10/12/2026, in English 10 Dec 2026. */
  shortDay(day: CivilDay): string;
  /** 10/12/2026 14:05 in São Paulo, in English 10 Dec 2026, 14:05. */
  moment(at: Date): string;
  number(value: number | bigint): string;
  /** A decimal of any length, digit for digit, cut to a number of decimal places; a text that is not a decimal stays as it is. */
  decimal(text: string, digits: Digits): string;
  /** A comma or a point. */
  readonly decimalSign: string;
};

/** How many decimals are written. */
export type Digits = { readonly least?: number; readonly most: number };

const made = new Map<Language, Formats>();

/** Made once: an `Intl` object takes thirty times as long to make as to use. */
export function formatsOf(language: Language): Formats {
  const known = made.get(language);
  if (known) return known;
  const formats = makeFormats(language);
  made.set(language, formats);
  return formats;
}

const NO_BREAK = '\u00a0';
const TIME_ZONE = 'America/Sao_Paulo';
/** English as written outside the United States, where 10/12 would be in October. */
const LOCALES: Readonly<Record<Language, string>> = { 'pt-BR': 'pt-BR', en: 'en-GB' };

/** English has no short day of numbers alone: 10/12 would be two days. */
const SHORT: Readonly<Record<Language, 'short' | 'medium'>> = { 'pt-BR': 'short', en: 'medium' };

function makeFormats(language: Language): Formats {
  const locale = LOCALES[language];
  const moneyIn = (currency: Currency) => new Intl.NumberFormat(locale, { style: 'currency', currency });
  const money = { BRL: moneyIn('BRL'), USD: moneyIn('USD'), EUR: moneyIn('EUR') };
  const dateStyle = SHORT[language];
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const shortDay = new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
  const moment = new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'short', timeZone: TIME_ZONE });
  const number = new Intl.NumberFormat(locale);
  const decimals = new Map<string, Intl.NumberFormat>();
  const decimalIn = ({ least = 0, most }: Digits) => {
    const name = `${least} ${most}`;
    const known = decimals.get(name);
    if (known) return known;
    const made = new Intl.NumberFormat(locale, {
      minimumFractionDigits: least,
      maximumFractionDigits: most,
      roundingMode: 'trunc',
    });
    decimals.set(name, made);
    return made;
  };
  return {
    // Exact: amounts stay far below 2^53 cents, and two decimals of the quotient are right up to there. English writes the sign of
    // a currency close to its number, which reads badly after `R$`.
    money: (cents, currency = 'BRL') =>
      money[currency].format(Number(cents) / 100).replace(/^([^\d\s]*[^\d\s.,-])(?=\d)/, `$1${NO_BREAK}`),
    day: text => day.format(new Date(`${text}T00:00:00Z`)),
    shortDay: text => shortDay.format(new Date(`${text}T00:00:00Z`)),
    moment: at => moment.format(at),
    number: value => number.format(value),
    decimal: (text, digits) => (isDecimal(text) ? decimalIn(digits).format(text) : text),
    decimalSign: number.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.',
  };
}

function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}
