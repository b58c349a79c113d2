// Civil days, `YYYY-MM-DD`, as Brazil counts them: by the clock of São Paulo.

export type CivilDay = string;

const DAY_MS = 86_400_000;
const saoPaulo = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day in São Paulo at a moment. */
export function civilDay(at: Date): CivilDay {
  return saoPaulo.format(at);
}

/** Whole days from one day to another; negative when `to` is earlier. */
export function daysBetween(from: CivilDay, to: CivilDay): number {
  return Math.round((midnightOf(to) - midnightOf(from)) / DAY_MS);
}

/** The day that is `days` later, at most the last one with a year of four digits. */
export function addDays(day: CivilDay, days: number): CivilDay {
  const at = Math.min(midnightOf(day) + days * DAY_MS, LAST_DAY_MS);
  return new Date(at).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function midnightOf(day: CivilDay): number {
  return Date.parse(`${day}T00:00:00Z`);
}

const LAST_DAY_MS = midnightOf('9999-12-31');
