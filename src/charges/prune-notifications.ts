// Removes notifications of banks some time after they were handled.
import type { Duration } from '../lib/date-times.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../storage/pruning.ts';
import { deleteHandled, findOldestHandledAt } from './store-rails.ts';

export function pruneNotifications(keep: Duration | 'forever'): Prune {
  return {
    kind: 'notifications',
    keep,
    step: async (db, before) => {
      const removed = await deleteHandled(db, before, PRUNE_BATCH_SIZE);
      return { removed, next: removed < PRUNE_BATCH_SIZE ? undefined : 'more' };
    },
    oldest: findOldestHandledAt,
  };
}
