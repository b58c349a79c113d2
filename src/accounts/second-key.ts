// The four-eyes rule: the maker of a thing cannot approve it. A key, the person or key that made it, and all that they made count as one.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { listMakers } from './store-makers.ts';

/**
 * Refuses an actor who shares a maker with a requester. Keys and people made by the command line share no maker; an operator there, and
 * anyone in a sandbox, may approve everything.
 */
export async function requireSecondKey(
  sql: Sql,
  by: string,
  askedBy: readonly (string | undefined)[],
  refusal: string,
): Promise<void> {
  const known = askedBy.filter(actor => actor !== undefined);
  if (await isSamePair(sql, [by], known)) throw new AppError('second_key_needed', refusal);
}

/** Whether the two share a maker. */
export async function isSamePair(sql: Sql, some: readonly string[], others: readonly string[]): Promise<boolean> {
  const makers = await listMakers(sql, others);
  return [...(await listMakers(sql, some))].some(maker => makers.has(maker));
}
