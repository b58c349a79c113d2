// Figures of today and of 90 days: numbers, a chart that the server draws, and the same as a table.
import { type DayFigures, readDayFigures } from '../../ledger/store-figures.ts';
import { addDays, type CivilDay, civilDay, momentOn } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Sql } from '../../storage/database.ts';
import { type Html, html } from '../html.ts';
import { formatsOf } from '../language.ts';
import { count, reais, table } from './parts.ts';

const DAYS = 90;
/** The query reads 90 days of the ledger, so pages that ask within this time share it. */
const KEPT_MS = 30_000;
const MAX_KEPT = 100;

type Deps = { readonly db: Sql; readonly clock: Clock; readonly machineClock: Clock };
export type Figures = (accountId: string | undefined) => Promise<readonly DayFigures[]>;

/** Every day of the last 90, today last. */
export function keptFigures({ db, clock, machineClock }: Deps): Figures {
  const kept = new Map<string, { readonly atMs: number; readonly figures: Promise<readonly DayFigures[]> }>();
  return accountId => {
    const today = civilDay(clock.now());
    const key = `${today} ${accountId ?? ''}`;
    const nowMs = machineClock.now().getTime();
    const known = kept.get(key);
    if (known && Math.abs(nowMs - known.atMs) < KEPT_MS) return known.figures;
    if (kept.size >= MAX_KEPT) kept.clear();
    const figures = readDayFigures(db, momentOn(addDays(today, 1 - DAYS)), accountId).then(found =>
      fillDays(found, today),
    );
    // One that failed is read again.
    figures.catch(() => kept.delete(key));
    kept.set(key, { atMs: nowMs, figures });
    return figures;
  };
}

function fillDays(found: readonly DayFigures[], today: CivilDay): readonly DayFigures[] {
  const byDay = new Map(found.map(figures => [figures.day, figures]));
  const nothing = { pixCents: 0n, boletoCents: 0n, settledCents: 0n, refundedCents: 0n, payouts: 0 };
  return Array.from({ length: DAYS }, (_, index) => {
    const day = addDays(today, index + 1 - DAYS);
    return byDay.get(day) ?? { day, ...nothing };
  });
}

export function todayFigures(figures: readonly DayFigures[]): Html {
  const today = figures.at(-1);
  if (!today) return html``;
  const tile = (name: string, value: string) => html`<div class="tile"><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="tiles">${[
    tile('Pix today', reais(today.pixCents)),
    tile('Boleto today', reais(today.boletoCents)),
    tile('Settled today', reais(today.settledCents)),
    tile('Refunded today', reais(today.refundedCents)),
    tile('Crypto sent today', count(today.payouts)),
  ]}</dl>`;
}

const WIDTH = 720;
const HEIGHT = 140;
const STEP = WIDTH / DAYS;

/** Money in by method, a bar a day; the table says the same to those who do not see it. */
export function moneyChart(figures: readonly DayFigures[]): Html {
  const { shortDay } = formatsOf('en');
  const totals = figures.map(({ pixCents, boletoCents }) => Number(pixCents + boletoCents));
  const highest = Math.max(1, ...totals);
  const bars = figures.map(({ day, pixCents, boletoCents }, index) => {
    const pix = (Number(pixCents) / highest) * HEIGHT;
    const boleto = (Number(boletoCents) / highest) * HEIGHT;
    const x = (index * STEP).toFixed(1);
    const bar = (kind: string, y: number, height: number) =>
      height > 0 &&
      html`<rect class="${kind}" x="${x}" y="${y.toFixed(1)}" width="${(STEP - 2).toFixed(1)}" height="${height.toFixed(1)}"><title>${shortDay(day)}: ${reais(kind === 'pix' ? pixCents : boletoCents)} by ${kind}</title></rect>`;
    return [bar('pix', HEIGHT - pix, pix), bar('boleto', HEIGHT - pix - boleto, boleto)];
  });
  const sum = (pick: (one: DayFigures) => bigint) => figures.reduce((total, one) => total + pick(one), 0n);
  const first = figures[0]?.day ?? '';
  const last = figures.at(-1)?.day ?? '';
  const moved = figures.filter(
    one => one.pixCents + one.boletoCents + one.settledCents + one.refundedCents > 0n || one.payouts > 0,
  );
  return html`<figure class="card chart"><figcaption><h2>Money in, 90 days</h2>
<p class="muted"><span class="key pix">pix ${reais(sum(one => one.pixCents))}</span> <span class="key boleto">boleto ${reais(sum(one => one.boletoCents))}</span></p></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT + 18}" role="img" aria-label="Money in by pix and boleto on each of 90 days; the table below has the numbers">
<line class="axis" x1="0" y1="${HEIGHT}" x2="${WIDTH}" y2="${HEIGHT}"></line>${bars}
<text x="0" y="${HEIGHT + 14}">${first && shortDay(first)}</text><text x="${WIDTH}" y="${HEIGHT + 14}" text-anchor="end">${last && shortDay(last)}</text></svg>
<details><summary>As a table</summary>${table({
    caption: 'Money of each day',
    head: ['Day', '#Pix', '#Boleto', '#Settled', '#Refunded', '#Crypto sent'],
    rows: moved
      .toReversed()
      .map(one => [
        shortDay(one.day),
        reais(one.pixCents),
        reais(one.boletoCents),
        reais(one.settledCents),
        reais(one.refundedCents),
        count(one.payouts),
      ]),
    empty: 'Nothing moved in 90 days.',
  })}</details></figure>`;
}
