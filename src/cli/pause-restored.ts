// After a restore payouts stay paused until a person has compared the books with the chains: what left after the backup is not in
// it, and those orders would be paid again.
import { uuidV7 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import { insertPause } from '../payouts/store-pauses.ts';
import { readSenders } from '../payouts/store-senders.ts';
import type { Database } from '../storage/database.ts';

const REASON = 'the database was restored; run trilho ledger check --chains first, then trilho payouts resume';

/** Only where crypto has left: a sandbox has its chains in the same database. */
export async function pauseRestoredPayouts(db: Database, mode: Mode): Promise<void> {
  if (mode !== 'live' || (await readSenders(db)).length === 0) return;
  const pausedAt = new Date();
  await db.transaction(tx => insertPause(tx, { id: uuidV7(pausedAt), reason: REASON, pausedAt, pausedBy: 'operator' }));
  console.log(`All payouts are paused: ${REASON}.`);
}
