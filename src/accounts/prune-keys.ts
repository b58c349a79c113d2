// Removes old idempotency keys. The object that was made under one stays, and its externalId is still taken.
import type { Duration } from '../lib/date-times.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../storage/pruning.ts';
import { deleteOldKeys, findOldestKeyAt } from './store-idempotency.ts';

export function pruneIdempotencyKeys(keep: Duration | 'forever'): Prune {
  return {
    kind: 'idempotency_keys',
    keep,
    // Removed rows stay as dead entries at the front of the index until a vacuum: each run continues after them.
    step: async (db, before, from) => {
      const gone = await deleteOldKeys(db, before, from ? new Date(from) : new Date(0), PRUNE_BATCH_SIZE);
      const next = gone.length < PRUNE_BATCH_SIZE ? undefined : gone.at(-1)?.toISOString();
      return { removed: gone.length, next };
    },
    oldest: findOldestKeyAt,
  };
}
