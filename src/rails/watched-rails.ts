// Rails whose banks list received payments.
import type { Rail, ReceiptsByTime } from './rail.ts';
import { allRails, type Rails } from './rails.ts';

export type WatchedRail = {
  readonly rail: Rail;
  readonly watch: ReceiptsByTime;
  /** The rails with the same list, including this one: those with the same key at the same bank. */
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

/** The rail that a notification was sent to. */
export function findWatchedRail(rails: Rails, name: string): WatchedRail | undefined {
  return watchedRails(rails).find(({ rail }) => rail.name === name);
}
