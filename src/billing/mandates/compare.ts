// Compares what a PSP lists of Pix Automático with the mandates and collections recorded here. What only the PSP has is reported by its id
// and never taken over: it may be another program's, or of what a restored backup lacks. Changes nothing.
import type { ChargeFollower, OnlyAtBank } from '../../charges/follower.ts';
import { AppError } from '../../lib/errors.ts';
import type { NoAnswer, Page, Period } from '../../rails/automatic.ts';
import { idOfReference } from './collection.ts';
import { findWithoutMandate } from './store.ts';
import { findCollectionRefs } from './store-collections.ts';

type Compare = NonNullable<ChargeFollower['onlyAtBank']>;

/** A PSP refuses an end in the future, by its own clock. */
const CLOCK_MARGIN_MS = 10_000;

/** Recurrences and collections that have ended without money are left out: nothing can come of them. */
export const onlyAtPsp: Compare = async ({ db, clock }, { rail, names }, period, afterPage) => {
  const calls = rail.automatic;
  const latestMs = clock.now().getTime() - CLOCK_MARGIN_MS;
  const { from, to } = { ...period, to: new Date(Math.min(period.to.getTime() - 1, latestMs)) };
  if (!calls || to < from) return { differences: [], unreadable: 0 };

  const recurrences = await each({ from, to }, calls.recurrences, afterPage, async items => {
    const open = items.filter(hasNotEnded);
    const alone = await findWithoutMandate(db, names, open);
    return open
      .filter(({ id }) => alone.has(id))
      .map(({ id, pspStatus }) => ({ kind: 'recurrence_not_here', reference: id, atBank: pspStatus }));
  });
  const collections = await each({ from, to }, calls.collections, afterPage, async items => {
    const open = items.filter(hasNotEnded);
    const refs = await findCollectionRefs(
      db,
      open.flatMap(({ reference }) => idOfReference(reference) ?? []),
    );
    const known = new Set(refs.map(({ collectionId }) => collectionId));
    return open
      .filter(({ reference }) => !known.has(idOfReference(reference) ?? ''))
      .map(({ reference, pspStatus }) => ({ kind: 'collection_not_here', reference, atBank: pspStatus }));
  });
  return {
    differences: [...recurrences.differences, ...collections.differences],
    unreadable: recurrences.unreadable + collections.unreadable,
  };
};

/** A state that the norm does not know may still bring money. */
function hasNotEnded({ status }: { readonly status?: string }): boolean {
  return !['REJECTED', 'EXPIRED', 'CANCELED'].includes(status ?? '');
}

/** Walks a list of the PSP. What was recorded meanwhile is read after each page, so it is no difference. */
async function each<T>(
  period: Period,
  list: (period: Period, cursor?: string) => Promise<Page<T> | NoAnswer>,
  afterPage: () => void,
  compare: (items: readonly T[]) => Promise<OnlyAtBank['differences']>,
): Promise<OnlyAtBank> {
  const differences: OnlyAtBank['differences'][number][] = [];
  let unreadable = 0;
  let cursor: string | undefined;
  do {
    const page = await list(period, cursor);
    if (page.kind !== 'page') {
      throw new AppError('rail_unavailable', 'The PSP does not list its recurrences and collections.');
    }
    differences.push(...(await compare(page.items)));
    unreadable += page.unreadable;
    cursor = page.next;
    afterPage();
  } while (cursor !== undefined);
  return { differences, unreadable };
}
