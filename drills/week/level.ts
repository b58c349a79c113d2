// Whether the last days cost as much as those before them: a service that keeps too much, or that slows down, would show it within a week.
import { formatRatio, percentileOf } from '../../bench/figures.ts';
import { BLOCK_SIZE } from '../../src/storage/archive/block.ts';
import type { Sizes } from './tables.ts';

/** The timed requests. */
export const LOAD = ['POST /charges', 'GET /charges', 'GET /charges?state=EXPIRED', 'GET /events'] as const;

export type Day = Sizes & {
  /** Seconds, by the kind of removed rows. */
  readonly oldest: ReadonlyMap<string, number>;
  readonly charges: number;
  readonly times: ReadonlyMap<string, readonly number[]>;
  readonly memory: number;
  /** Of each large table that was scanned. */
  readonly scans: ReadonlyMap<string, number>;
  readonly moveSeconds: number;
};

/** Of the last day to the second. */
const LEVEL_MEMORY = 1.5;
const LEVEL_TIME = 3;
/** Of the rows of a table in the last two days to those in the first two that are full: a table that nothing removes from has 1.86 in a week. */
const LEVEL_ROWS = 1.5;
/** Rows are kept for a day, and removed by whole days: they are all there for two days. */
const KEPT_DAYS = 2;
const COMPARED_DAYS = 2;
/** Rows that may wait for a full block of the archive. */
const WAITING_ROWS = new Map([
  ['events', 2 * BLOCK_SIZE],
  ['event_positions', 2 * BLOCK_SIZE],
  ['audit_log', BLOCK_SIZE],
]);
/** Fewer mean nothing. */
const FEW_ROWS = 100;

/** The first day begins with empty tables. */
export function whatIsNotLevel(days: readonly Day[]): string[] {
  const [second, last] = [days[1], days.at(-1)];
  if (!second || !last) return [];
  const wrong: string[] = [];
  const memory = last.memory / second.memory;
  if (memory > LEVEL_MEMORY) wrong.push(`memory of the last day is ${formatRatio(memory)} that of day 2`);
  for (const name of LOAD) {
    const medianOf = ({ times }: Day) => percentileOf(times.get(name) ?? [], 0.5);
    const ratio = medianOf(last) / medianOf(second);
    if (!(ratio <= LEVEL_TIME))
      wrong.push(`${name}: the median of the last day is ${formatRatio(ratio)} that of day 2`);
  }
  for (const [table, ratio] of rowsRatios(days)) {
    if (ratio > LEVEL_ROWS)
      wrong.push(`${table}: the last days have ${formatRatio(ratio)} as many rows of a charge as days 3 and 4`);
  }
  return wrong;
}

/**
 * Of each table that is pruned: its rows of each charge that may have some, which is one that is open or has ended while its rows are
 * kept. Boletos stay open over holidays, so the rows alone would rise with them. Empty in a run of less than six days.
 */
export function rowsRatios(days: readonly Day[]): Map<string, number> {
  const charges = days.map(
    ({ openCharges, endedCharges }, index) => openCharges + endedCharges - (days[index - KEPT_DAYS]?.endedCharges ?? 0),
  );
  if (days.length < KEPT_DAYS + 2 * COMPARED_DAYS) return new Map();
  const [first, last] = [KEPT_DAYS, days.length - COMPARED_DAYS];
  const perCharge = (table: string, from: number, waiting: number) => {
    const chosen = days.slice(from, from + COMPARED_DAYS);
    const rows = sumOf(chosen.map(day => (day.rows.get(table) ?? 0) - waiting));
    return rows / sumOf(charges.slice(from, from + COMPARED_DAYS));
  };
  const ratios = [...days[last]!.rows.keys()].map((table): [string, number] => {
    const before = Math.max(perCharge(table, first, 0), FEW_ROWS / sumOf(charges.slice(first, first + COMPARED_DAYS)));
    return [table, perCharge(table, last, WAITING_ROWS.get(table) ?? 0) / before];
  });
  return new Map(ratios.sort(([, a], [, b]) => b - a));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
