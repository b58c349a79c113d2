// A chart that the server draws: a bar a day for each series, with the same numbers as a table for screen readers.
import type { CivilDay } from '../../lib/civil-days.ts';
import { type Html, html, type Piece } from '../html.ts';
import { day as shortDay } from './formats.ts';
import { table } from './parts.ts';

type Series<Day> = {
  readonly name: string;
  readonly value: (day: Day) => number;
  /** The label of one bar, such as `R$ 12.00 by pix`. */
  readonly label: (day: Day) => string;
  /** The total of all days, beside the name. */
  readonly total?: string;
};

type Chart<Day> = {
  readonly title: string;
  readonly days: readonly Day[];
  /** Stacked, or else side by side. */
  readonly isStacked?: boolean;
  readonly series: readonly Series<Day>[];
  /** The table has a row for each of these days, newest first. */
  readonly isShown: (day: Day) => boolean;
  readonly head: readonly string[];
  readonly row: (day: Day) => readonly Piece[];
};

const WIDTH = 720;
const HEIGHT = 160;
const GAP = 2;

export function barChart<Day extends { readonly day: CivilDay }>(chart: Chart<Day>): Html {
  const { title, days, series, isStacked = false } = chart;
  const step = WIDTH / Math.max(1, days.length);
  const width = isStacked ? step - GAP : (step - GAP) / series.length;
  const heightsOf = (day: Day) => series.map(({ value }) => value(day));
  const tops = days.map(day => {
    const heights = heightsOf(day);
    return isStacked ? heights.reduce((sum, one) => sum + one, 0) : Math.max(...heights);
  });
  const highest = Math.max(...tops, Number.MIN_VALUE);
  const bars = days.map((day, index) => {
    let under = 0;
    return series.map(({ value, label }, number) => {
      const height = (value(day) / highest) * HEIGHT;
      const x = index * step + (isStacked ? 0 : number * width);
      const y = HEIGHT - height - under;
      if (isStacked) under += height;
      return (
        height > 0 &&
        html`<rect class="series-${number + 1}" x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" rx="1"><title>${shortDay(day.day)}: ${label(day)}</title></rect>`
      );
    });
  });
  const [first, last] = [days[0], days.at(-1)];
  const keys = series.map(
    ({ name, total }, number) =>
      html`<span class="key series-${number + 1}">${name}${total !== undefined && html` <strong>${total}</strong>`}</span> `,
  );
  return html`<figure class="card chart"><figcaption><h2>${title}</h2><p class="muted keys">${keys}</p></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT + 1}" preserveAspectRatio="none" role="img" aria-label="${title}: one bar a day; the table below has the numbers">
<line class="axis" x1="0" y1="${HEIGHT}.5" x2="${WIDTH}" y2="${HEIGHT}.5"></line>${bars}</svg>
<p class="ends muted small" aria-hidden="true"><span>${first && shortDay(first.day)}</span><span>${last && shortDay(last.day)}</span></p>
<details id="table-${title.toLowerCase().replaceAll(' ', '-')}"><summary>As a table</summary>${table({
    caption: title,
    head: ['Day', ...chart.head],
    rows: days
      .filter(chart.isShown)
      .toReversed()
      .map(day => [shortDay(day.day), ...chart.row(day)]),
    empty: 'Nothing in these days.',
  })}</details></figure>`;
}
