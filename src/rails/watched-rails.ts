// Rails whose banks list what they have received.
import { AppError } from '../lib/errors.ts';
import { allRails, type Rail, type Rails, type ReceiptsByTime } from './rail.ts';

export type WatchedRail = {
  readonly rail: Rail;
  readonly watch: ReceiptsByTime;
  /** The rails of which the bank lists the payments together, by name: this one, and others with its pix key. */
  readonly names: readonly string[];
};

export function watchedRails(rails: Rails): WatchedRail[] {
  return allRails(rails).flatMap(rail =>
    rail.watch?.by === 'time' ? { rail, watch: rail.watch, names: namesOfSameKey(rails, rail) } : [],
  );
}

function namesOfSameKey(rails: Rails, { name, method, pixKey }: Rail): readonly string[] {
  if (pixKey === undefined) return [name];
  return allRails(rails).flatMap(rail => (rail.method === method && rail.pixKey === pixKey ? rail.name : []));
}

/** The rail under which a notification came, or an error that says that it is not there. */
export function watchedRailNamed(rails: Rails, name: string): WatchedRail {
  const watched = watchedRails(rails).find(({ rail }) => rail.name === name);
  if (!watched)
    throw new AppError('not_configured', `The rail ${name} is not configured, and notifications are for it.`);
  return watched;
}
