// Civil days, `YYYY-MM-DD`, and their arithmetic. Without a time zone: a file has the bank's days.

export type CivilDay = string;

const DAY_MS = 86_400_000;

/** Whole days from one day to another; negative when `to` is earlier. */
export function daysBetween(from: CivilDay, to: CivilDay): number {
  return Math.round((midnightOf(to) - midnightOf(from)) / DAY_MS);
}

/** The day that is `days` later; the last day that a file can name when it would be later than that. */
export function addDays(day: CivilDay, days: number): CivilDay {
  const at = Math.min(midnightOf(day) + days * DAY_MS, LAST_DAY_MS);
  return new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function midnightOf(day: CivilDay): number {
  return Date.parse(`${day}T00:00:00Z`);
}

const LAST_DAY_MS = midnightOf('9999-12-31');
