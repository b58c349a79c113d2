// Warns the operator before the numbers of an agreement run out: a bank takes days to grant further ones.
import type { Log } from '../../lib/log.ts';
import { allRails, type Rails } from '../../rails/rails.ts';
import type { Sql } from '../../storage/database.ts';
import { type AgreementUse, numbersLeft, readAgreementUses } from './store-agreements.ts';

type Range = { readonly first: bigint; readonly last: bigint };

/** Warn when less than one in this many numbers is left. */
const SCARCE = 10n;
/** The log warns when less than one in 10, then less than one in 100 numbers is left, and when no number is left. */
const WARNED_AT = [SCARCE, 100n];

export function isScarce(left: bigint, { first, last }: Range): boolean {
  return left * SCARCE < last - first + 1n;
}

/** Agreements whose numbers are running out, with how many are left. */
export function scarceNumbers(rails: Rails, uses: readonly AgreementUse[]): { rail: string; left: bigint }[] {
  const ranges = new Map(allRails(rails).flatMap(({ name, numbers }) => (numbers ? [[name, numbers]] : [])));
  return uses.flatMap(use => {
    const range = ranges.get(use.rail);
    const left = range && numbersLeft(range, use);
    return range && left !== undefined && isScarce(left, range) ? { rail: use.rail, left } : [];
  });
}

/** Called at the start and with each file. */
export async function warnOfNumbers(deps: {
  readonly db: Sql;
  readonly rails: Rails;
  readonly log: Log;
}): Promise<void> {
  if (!allRails(deps.rails).some(({ numbers }) => numbers)) return;
  const uses = await readAgreementUses(deps.db, 1);
  for (const { rail, left } of scarceNumbers(deps.rails, uses)) warn(deps.log, rail, left);
}

/** Called when numbers are taken. Only the transaction that crosses a threshold warns. */
export function warnOfTaken(log: Log, rail: string, range: Range, firstTaken: bigint, count: number): void {
  const before = range.last - firstTaken + 1n;
  const left = before - BigInt(count);
  const total = range.last - range.first + 1n;
  const isCrossed = WARNED_AT.some(part => before * part >= total && left * part < total);
  if (isCrossed || left === 0n) warn(log, rail, left);
}

function warn(log: Log, rail: string, left: bigint): void {
  log.warn('the numbers of an agreement are running out: ask the bank for a further range, then raise lastNumber', {
    rail,
    count: Number(left),
  });
}
