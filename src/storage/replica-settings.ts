// A replica of the database, for lists and exports.
import { addDuration, parseDuration } from '../lib/date-times.ts';
import { kindOf } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';
import { postgresUrl } from './postgres-url.ts';

/** Marks are written every second, so a replica that keeps up is up to two seconds behind. */
const SHORTEST_MS = 2_000;
const LONGEST_MS = 3_600_000;

/** In milliseconds. */
const lag = kindOf('a length of time from PT2S to PT1H such as PT10S', given => {
  const duration = parseDuration(given);
  const ms = (duration && addDuration(new Date(0), duration)?.getTime()) ?? Number.NaN;
  return ms >= SHORTEST_MS && ms <= LONGEST_MS ? ms : undefined;
});

export const REPLICA_SETTINGS = [
  {
    name: 'DATABASE_READ_URL',
    kind: postgresUrl,
    isSecret: true,
    meaning:
      'A streaming standby of the server of DATABASE_URL, or several behind one address, for lists and exports. Not set: all is read from DATABASE_URL.',
  },
  {
    name: 'TRILHO_READ_MAX_LAG',
    kind: lag,
    default: 'PT10S',
    meaning:
      'How far behind an answer from DATABASE_READ_URL may be; a list that would be older is read from DATABASE_URL.',
  },
] as const satisfies readonly Setting[];

/** The address of a replica, and its maximum lag. */
export type ReplicaSettings = { readonly url: string; readonly maxLagMs: number };

/** Undefined when no replica is set. */
export function replicaSettingsOf(values: ValuesOf<typeof REPLICA_SETTINGS>): ReplicaSettings | undefined {
  const { DATABASE_READ_URL: url, TRILHO_READ_MAX_LAG: maxLagMs } = values;
  return url === undefined ? undefined : { url, maxLagMs };
}
