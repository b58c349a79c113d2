// Changes what a person knows of a dispute: until when its money is blocked, and a note.
import { insertEvents } from '../../events/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import type { Dispute } from './dispute.ts';
import { lockDispute } from './require.ts';
import { updateDispute } from './store.ts';
import { disputeEvent } from './view.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** Null removes a value, and what is absent stays. */
export type DisputeChanges = { readonly blockedUntil?: Date | null; readonly note?: string | null };

/** Without a difference nothing is written. Refuses another end of the block of a closed dispute, whose money is no longer blocked. */
export async function changeDispute(
  { db, clock }: Deps,
  id: string,
  changes: DisputeChanges,
  accountId?: string,
): Promise<Dispute> {
  return db.transaction(async tx => {
    const before = await lockDispute(tx, id, accountId);
    const { blockedUntil = before.blockedUntil, note = before.note } = changes;
    const isOtherUntil = changes.blockedUntil !== undefined && differs(changes.blockedUntil, before);
    if (!isOtherUntil && (note ?? undefined) === before.note) return before;
    if (isOtherUntil && before.status !== 'open') {
      throw new AppError('wrong_state', `This dispute was closed as ${before.status}: its money is not blocked.`);
    }
    const now = clock.now();
    const { blockedUntil: _, note: __, ...rest } = before;
    const after: Dispute = {
      ...rest,
      ...(blockedUntil && { blockedUntil }),
      isUntilEstimated: isOtherUntil ? false : before.isUntilEstimated,
      ...(note !== null && note !== undefined && { note }),
      eventCount: before.eventCount + 1,
      updatedAt: now,
    };
    await updateDispute(tx, after);
    await insertEvents(tx, [disputeEvent(after, 'dispute.updated', now)]);
    return after;
  });
}

/** A day that a person records is no estimate any more, also when it is the same. */
function differs(until: Date | null, before: Dispute): boolean {
  return until?.getTime() !== before.blockedUntil?.getTime() || before.isUntilEstimated;
}
