// Date-times of requests, RFC 3339. Seconds may be left out.

const GRAMMAR = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?:(:\d{2})(?:\.(\d+))?)?(Z|[+-]\d{2}:\d{2})$/i;
const DAY_AND_TIME = 'YYYY-MM-DDTHH:MM:SS'.length;
const MAX_LENGTH = 64;

/** The moment, down to its millisecond; undefined when the text is not one, or its day or time does not exist. */
export function parseMoment(text: string): Date | undefined {
  const [, day = '', minute = '', second = ':00', fraction = '', zone = ''] =
    text.length > MAX_LENGTH ? [] : (GRAMMAR.exec(text) ?? []);
  const local = `${day}T${minute}${second}`;
  // Date turns 31 April into May and accepts 24:00, so it must write the same text again.
  const at = Date.parse(`${local}Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, DAY_AND_TIME) !== local) return undefined;
  const moment = new Date(`${local}.${fraction.slice(0, 3).padEnd(3, '0')}${zone.toUpperCase()}`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
