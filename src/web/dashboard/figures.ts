// Figures of today and of 90 days: numbers, charts, and the same as tables.
import { formatAmount } from '../../ledger/currency.ts';
import { type DayFigures, NO_FIGURES, readDayFigures } from '../../ledger/store-figures.ts';
import { addDays, civilDay, momentOn } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { METHODS_SHOWN } from '../../rails/abilities.ts';
import type { Method } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import { type Html, html, type Piece } from '../html.ts';
import { barChart } from './chart.ts';
import { count, quantityText, reais } from './formats.ts';
import { kept } from './kept.ts';

const DAYS = 90;
const DAY_LENGTH = 'YYYY-MM-DD'.length;
/** The query reads 90 days of the ledger. */
const KEPT_MS = 30_000;

type Deps = { readonly db: Sql; readonly clock: Clock; readonly machineClock: Clock };
export type Figures = (accountId: string | undefined) => Promise<readonly DayFigures[]>;

/** Every day of the last 90, today last. */
export function keptFigures({ db, clock, machineClock }: Deps): Figures {
  const read = kept(machineClock, KEPT_MS, async name => {
    const [today, accountId] = [name.slice(0, DAY_LENGTH), name.slice(DAY_LENGTH)];
    const since = momentOn(addDays(today, 1 - DAYS));
    const found = await readDayFigures(db, { since, accountId: accountId === '' ? undefined : accountId });
    return Array.from({ length: DAYS }, (_, index) => {
      const day = addDays(today, index + 1 - DAYS);
      return found.get(day) ?? { day, ...NO_FIGURES };
    });
  });
  // The day is part of the cache key.
  return accountId => read(civilDay(clock.now()) + (accountId ?? ''));
}

export function todayFigures(figures: readonly DayFigures[]): Html {
  const today = figures.at(-1);
  if (!today) return html``;
  const tile = (name: string, value: Piece) => html`<div class="tile"><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="tiles">${[
    ...METHODS_SHOWN.map(method => tile(titled(method), reais(today.paidCents[method]))),
    tile('Settled', reais(today.settledCents)),
    tile('Refunded', reais(today.refundedCents)),
    tile('Crypto out', today.transfers === 0 ? '–' : cryptoOf(today)),
    tile('Payment to crypto', durationOf(today.conversionSeconds)),
  ]}</dl>`;
}

/** Four charts, each with its table. */
export function ninetyDays(days: readonly DayFigures[]): Html {
  const sum = (pick: (day: DayFigures) => bigint) => reais(days.reduce((total, day) => total + pick(day), 0n));
  const money = (name: string, pick: (day: DayFigures) => bigint) => ({
    name,
    value: (day: DayFigures) => Number(pick(day)),
    label: (day: DayFigures) => `${reais(pick(day))} ${name}`,
    total: sum(pick),
  });
  const transfers = days.reduce((total, day) => total + day.transfers, 0);
  return html`<div class="charts">${[
    barChart({
      title: 'Money in',
      days,
      isStacked: true,
      series: METHODS_SHOWN.map(method => money(method, day => day.paidCents[method])),
      isShown: day => METHODS_SHOWN.some(method => day.paidCents[method] > 0n),
      head: METHODS_SHOWN.map(method => `#${titled(method)}`),
      row: day => METHODS_SHOWN.map(method => reais(day.paidCents[method])),
    }),
    barChart({
      title: 'Settled and refunded',
      days,
      series: [money('settled', day => day.settledCents), money('refunded', day => day.refundedCents)],
      isShown: day => day.settledCents + day.refundedCents > 0n,
      head: ['#Settled', '#Refunded'],
      row: day => [reais(day.settledCents), reais(day.refundedCents)],
    }),
    barChart({
      title: 'Crypto out',
      days,
      series: [
        {
          name: 'transfers',
          value: day => day.transfers,
          label: day => `${count(day.transfers)} transfers, ${transfersText(day).join(', ')}`,
          total: count(transfers),
        },
      ],
      isShown: day => day.transfers > 0,
      head: ['#Transfers', 'Crypto'],
      row: day => [count(day.transfers), cryptoOf(day)],
    }),
    barChart({
      title: 'From payment to crypto',
      days,
      series: [
        {
          name: 'median of the day',
          value: day => day.conversionSeconds ?? 0,
          label: day => durationOf(day.conversionSeconds),
        },
      ],
      isShown: day => day.conversionSeconds !== undefined,
      head: ['#Median time'],
      row: day => [durationOf(day.conversionSeconds)],
    }),
  ]}</div>`;
}

const titled = (method: Method) => method.charAt(0).toUpperCase() + method.slice(1);

function transfersText({ sent }: DayFigures): string[] {
  return [...sent].map(([currency, units]) => {
    const [symbol = '', network = ''] = currency.split('.');
    return `${quantityText(formatAmount(currency, units), symbol)} on ${network}`;
  });
}

function cryptoOf(day: DayFigures): Piece {
  return html`<ul class="lines">${transfersText(day).map(text => html`<li>${text}</li>`)}</ul>`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** In two units, such as `3 h 20 min`. */
function durationOf(seconds: number | undefined): string {
  if (seconds === undefined) return '–';
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)} min ${whole % MINUTE} s`;
  if (whole < DAY) return `${Math.floor(whole / HOUR)} h ${Math.floor((whole % HOUR) / MINUTE)} min`;
  return `${Math.floor(whole / DAY)} d ${Math.floor((whole % DAY) / HOUR)} h`;
}
