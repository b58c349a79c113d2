// Civil days: `YYYY-MM-DD` in America/Sao_Paulo, from the time zone database and never from a fixed offset.

export type CivilDay = string;

export const DAY_MS = 86_400_000;

const saoPaulo = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** The day a clock on a wall in São Paulo shows at that moment. */
export function civilDay(at: Date): CivilDay {
  return saoPaulo.format(at);
}

/** Whole days from one civil day to another; negative when `to` is earlier. */
export function daysBetween(from: CivilDay, to: CivilDay): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}
