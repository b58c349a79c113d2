// trilho reconcile: compares a PSP's own record of a day with what is recorded here, and prints every difference.
import { type ComparedDay, compareDay } from '../charges/reconcile/compare-day.ts';
import type { Difference } from '../charges/reconcile/difference.ts';
import type { Config } from '../config/config.ts';
import { type CivilDay, civilDay } from '../lib/civil-days.ts';
import { parseUtc } from '../lib/date-times.ts';
import { formatUnits } from '../lib/decimals.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { CHARGE_FOLLOWERS } from '../nouns.ts';
import { liveRails } from '../rails/live-rails.ts';
import type { Rails } from '../rails/rails.ts';
import { type WatchedRail, watchedRails } from '../rails/watched-rails.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';
import { explainingOutage } from './explain-outage.ts';

const DIFFERS = 1;

/** Exit code 0 when nothing differs, 1 when something does, 2 when it cannot be compared. */
export async function reconcileCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { neededOptions: ['day'], options: ['rail'] });
  const { day = '', rail } = options;
  if (options['day'] !== undefined && !isDay(day)) {
    faults.push(`--day must be a day such as 2026-11-16, not ${quoted(day)}`);
  }
  refuseFaults('reconcile', faults);
  if (config.mode !== 'live') throw new StartError('A sandbox has no PSP to compare with. Set TRILHO_MODE=live.');
  return withDatabase({ config, log, action: 'trilho reconcile' }, async ({ db, clock }) => {
    if (day > civilDay(clock.now())) throw new StartError(`--day ${day} is in the future.`);
    const { rails, stop } = liveRails(config, { clock, log });
    try {
      let isSame = true;
      for (const watched of chosenRails(rails, rail)) {
        const { name } = watched.rail;
        const result = await explainingOutage(config, { clock, log }, name, () =>
          compareDay({ db, clock, chargeFollowers: CHARGE_FOLLOWERS }, watched, day),
        );
        for (const line of report(name, day, result)) console.log(line);
        if (result.differences.length + result.unreadable + result.unreadableReceipts.length > 0) isSame = false;
      }
      return isSame ? 0 : DIFFERS;
    } finally {
      stop();
    }
  });
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseUtc(`${text}T00:00Z`) !== undefined;
}

function chosenRails(rails: Rails, name: string | undefined): WatchedRail[] {
  const watched = watchedRails(rails);
  const chosen = name === undefined ? watched : watched.filter(({ rail }) => rail.name === name);
  if (chosen.length > 0) return chosen;
  const known = watched.map(({ rail }) => rail.name).join(', ');
  throw new StartError(
    name === undefined
      ? 'There is no PSP to compare with: set rails in TRILHO_CONFIG.'
      : `--rail ${quoted(name)} is not a rail of a PSP; there is ${known}.`,
  );
}

function report(
  name: string,
  day: CivilDay,
  { atBank, here, unreadable, unreadableReceipts, differences }: ComparedDay,
): string[] {
  const counts = `${name} ${day}: ${counted(atBank, 'payment')} at the PSP, ${here} here`;
  if (differences.length + unreadable + unreadableReceipts.length === 0) return [`${counts}, nothing differs.`];
  const unreadableText =
    unreadable > 0 ? `, ${counted(unreadable, 'record')} that cannot be read: look at the PSP` : '';
  const odd = unreadableReceipts.map(one => `${one.reference}: ${one.words} Look at the PSP.`);
  return [
    ...odd,
    ...differences.map(lineOf),
    `${counts}, ${counted(differences.length, 'difference')}${unreadableText}.`,
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function lineOf(difference: Difference): string {
  const { reference, chargeId } = difference;
  return `${reference}${chargeId === undefined ? '' : ` (charge ${chargeId})`}: ${describe(difference)}`;
}

function describe({ kind, refund, here, atBank }: Difference): string {
  const both = `${shown(here)} here, ${shown(atBank)} at the PSP`;
  switch (kind) {
    case 'not_here':
      return `not recorded here; ${shown(atBank)} at the PSP`;
    case 'unmatched':
      return `belongs to no charge and waits in GET /payments/unmatched; ${shown(atBank)} at the PSP`;
    case 'not_at_bank':
      return `recorded here and not known to the PSP; ${shown(here)} here`;
    case 'amount':
      return `another amount; ${both}`;
    case 'charge':
      return `another charge; ${both}`;
    case 'ledger_amount':
      return `another amount in the ledger; ${both}`;
    case 'refund_not_here':
      return `return ${refund} not recorded here; ${shown(atBank)} at the PSP`;
    case 'refund_not_at_bank':
      return `refund ${refund} not known to the PSP; ${shown(here)} here`;
    case 'refund_amount':
      return `refund ${refund} of another amount; ${both}`;
    case 'refund_status':
      return `refund ${refund} of another status; ${both}`;
    case 'refund_ledger_amount':
      return `refund ${refund} of another amount in the ledger; ${both}`;
    case 'recurrence_not_here':
      return `recurrence of no mandate; ${shown(atBank)} at the PSP`;
    case 'collection_not_here':
      return `collection not recorded here; ${shown(atBank)} at the PSP`;
  }
}

function shown(value: bigint | string | undefined): string {
  if (typeof value !== 'bigint') return value ?? 'nothing';
  const [whole = '0', cents = ''] = formatUnits(value, 2).split('.');
  return `BRL ${whole}.${cents.padEnd(2, '0')}`;
}
