// Tells the operator before the numbers of an agreement are used up: a bank takes days to agree to further ones.
import type { Log } from '../lib/log.ts';
import { allRails, type Rails } from '../rails/rails.ts';
import type { Sql } from '../storage/database.ts';
import { numbersLeft, readAgreementUses } from './store-agreements.ts';

/** Fewer than one number out of so many. */
const SCARCE = 10n;

export async function warnOfNumbers(deps: {
  readonly db: Sql;
  readonly rails: Rails;
  readonly log: Log;
}): Promise<void> {
  const ranges = new Map(allRails(deps.rails).flatMap(({ name, numbers }) => (numbers ? [[name, numbers]] : [])));
  if (ranges.size === 0) return;
  for (const use of await readAgreementUses(deps.db, 1)) {
    const { rail } = use;
    const range = ranges.get(rail);
    if (!range) continue;
    const left = numbersLeft(range, use);
    if (left * SCARCE >= range.last - range.first + 1n) continue;
    deps.log.warn('the numbers of an agreement run out: ask the bank for a further range, and raise lastNumber', {
      rail,
      count: Number(left),
    });
  }
}
