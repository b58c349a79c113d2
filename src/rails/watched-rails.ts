// Rails whose banks list what they have received.
import { AppError } from '../lib/errors.ts';
import type { Rail, ReceiptsByTime } from './rail.ts';
import { allRails, type Rails } from './rails.ts';

export type WatchedRail = {
  readonly rail: Rail;
  readonly watch: ReceiptsByTime;
  /** The rails that have the same list, this one among them: with the same key at the same bank. */
  readonly names: readonly string[];
};

export function watchedRails(rails: Rails): WatchedRail[] {
  return allRails(rails).flatMap(rail =>
    rail.watch?.by === 'time' ? { rail, watch: rail.watch, names: namesOfSameList(rails, rail) } : [],
  );
}

function namesOfSameList(rails: Rails, { name, listName }: Rail): readonly string[] {
  if (listName === undefined) return [name];
  return allRails(rails).flatMap(rail => (rail.listName === listName ? rail.name : []));
}

/** The rail under which a notification came, or an error that says that it is not there. */
export function watchedRailNamed(rails: Rails, name: string): WatchedRail {
  const watched = watchedRails(rails).find(({ rail }) => rail.name === name);
  if (!watched)
    throw new AppError('not_configured', `The rail ${name} is not configured, and notifications are for it.`);
  return watched;
}
