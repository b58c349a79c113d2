// Removes the bytes of files to banks, which name payers, some time after they were made. A file that the bank has not fully answered
// keeps them: it may have to be sent again.
import type { Clock } from '../../lib/clock.ts';
import type { Duration } from '../../lib/date-times.ts';
import type { Prune } from '../../storage/pruning.ts';
import { findOldestWithBytes, removeBytes } from './store-bytes.ts';

/** Files per step: each may have dozens of parts. */
const BATCH_SIZE = 10;

export function pruneBoletoFiles({ clock }: { readonly clock: Clock }, keep: Duration | 'forever'): Prune {
  return {
    kind: 'boleto_files',
    keep,
    step: async (db, before) => {
      const removed = await db.transaction(tx => removeBytes(tx, { before, at: clock.now() }, BATCH_SIZE));
      return { removed, next: removed < BATCH_SIZE ? undefined : 'more' };
    },
    oldest: findOldestWithBytes,
  };
}
