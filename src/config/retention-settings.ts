// How long rows are kept that nothing needs any more.
import { addDuration, type Duration, parseDuration } from '../lib/date-times.ts';
import { folder, type Kind, kindOf } from '../lib/settings/kinds.ts';
import type { Setting } from '../lib/settings/setting.ts';

/** `forever`: never removed. */
export type Kept = Duration | 'forever';

/** What is removed in time; each has a setting. */
export type RetentionSettings = {
  readonly events: Kept;
  readonly audit: Kept;
  readonly deliveries: Kept;
  readonly quotes: Kept;
  readonly idempotencyKeys: Kept;
  readonly notifications: Kept;
  readonly boletoFiles: Kept;
  readonly jobs: Kept;
  readonly traces: Kept;
};

const DAY_MS = 86_400_000;
const LONGEST_MS = 18_263 * DAY_MS;

/** Shorter would take an idempotency key from a caller that still repeats, or a delivery from one who still looks for it. */
export const keptFor: Kind<Kept> = kindOf('a length of time from P1D to P50Y such as P30D, or forever', given => {
  if (given === 'forever') return given;
  const duration = parseDuration(given);
  const lengthMs = duration ? lengthOf(duration) : Number.NaN;
  return lengthMs >= DAY_MS && lengthMs <= LONGEST_MS ? duration : undefined;
});

export function shorterOf(a: Kept, b: Kept): Kept {
  if (a === 'forever') return b;
  return b === 'forever' || lengthOf(a) < lengthOf(b) ? a : b;
}

/** Milliseconds from a day in January, as months differ in length. */
function lengthOf(duration: Duration): number {
  return addDuration(new Date(0), duration)?.getTime() ?? Number.POSITIVE_INFINITY;
}

export const RETENTION_SETTINGS = [
  {
    name: 'TRILHO_ARCHIVE_DIR',
    kind: folder,
    meaning:
      'Folder to which old events and audit lines are moved, and other rows are written before they are removed; best on another disk, and one for all nodes. Not set: events and audit lines are never removed, and the others leave no file.',
  },
  {
    name: 'TRILHO_KEEP_EVENTS',
    kind: keptFor,
    default: 'P5Y',
    meaning:
      'How long events stay in the database, in the feed and for webhooks, before they are moved to TRILHO_ARCHIVE_DIR.',
  },
  {
    name: 'TRILHO_KEEP_AUDIT',
    kind: keptFor,
    default: 'P10Y',
    meaning: 'How long lines of the audit log stay in the database before they are moved to TRILHO_ARCHIVE_DIR.',
  },
  {
    name: 'TRILHO_KEEP_IDEMPOTENCY_KEYS',
    kind: keptFor,
    default: 'P30D',
    meaning: 'How long a repeat with the same Idempotency-Key gets the first answer.',
  },
  {
    name: 'TRILHO_KEEP_QUOTES',
    kind: keptFor,
    default: 'P30D',
    meaning: 'How long a quote is kept that no order has used; one that an order has used stays.',
  },
  {
    name: 'TRILHO_KEEP_DELIVERIES',
    kind: keptFor,
    default: 'P90D',
    meaning:
      'How long deliveries to webhooks are kept, with their attempts, after they were delivered or given up. Where events are moved to TRILHO_ARCHIVE_DIR, at most as long as TRILHO_KEEP_EVENTS.',
  },
  {
    name: 'TRILHO_KEEP_NOTIFICATIONS',
    kind: keptFor,
    default: 'P7D',
    meaning: 'How long notifications of banks are kept after they were handled. They hold data of payers.',
  },
  {
    name: 'TRILHO_KEEP_BOLETO_FILES',
    kind: keptFor,
    default: 'P90D',
    meaning:
      'How long the bytes of a file to a bank are kept after it was made; longer while the bank has not answered all of it. They hold data of payers.',
  },
  {
    name: 'TRILHO_KEEP_JOBS',
    kind: keptFor,
    default: 'P7D',
    meaning: 'How long jobs are kept after they have ended.',
  },
  {
    name: 'TRILHO_KEEP_TRACES',
    kind: keptFor,
    default: 'P90D',
    meaning:
      'How long it is known which trace a charge, an order or a payout belongs to; what is done about it later is in no trace.',
  },
] as const satisfies readonly Setting[];
