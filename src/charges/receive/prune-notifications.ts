// Removes notifications of banks some time after they were handled.
import type { Duration } from '../../lib/date-times.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../../storage/pruning.ts';
import { deleteHandled, findOldestHandledAt } from '../store/rails.ts';

export function pruneNotifications(keep: Duration | 'forever'): Prune {
  return {
    kind: 'notifications',
    keep,
    // Rows removed earlier are dead entries at the front of the index until vacuumed, so a run starts after them.
    step: async (db, before, from) => {
      const removed = await deleteHandled(db, from ? new Date(from) : new Date(0), before, PRUNE_BATCH_SIZE);
      const next = removed.length < PRUNE_BATCH_SIZE ? undefined : removed.at(-1)?.toISOString();
      return { removed: removed.length, next };
    },
    oldest: findOldestHandledAt,
  };
}
