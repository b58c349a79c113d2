// After a restore payouts stay paused until a person has compared the books with the chains: what left after the backup is not in
// it, and those orders would be paid again.
import { NETWORKS } from '../chains/asset.ts';
import { NETWORK_FACTS } from '../chains/networks.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import { firstOrderAt } from '../orders/store-like.ts';
import { giveUpUnmined } from '../payouts/store-adopt.ts';
import { insertPause } from '../payouts/store-pauses.ts';
import type { Database } from '../storage/database.ts';

const REASON = 'the database was restored; see docs/operations.md#restore before trilho payouts resume';

/**
 * Only where there are orders: the first may have been paid after the backup. Not in a sandbox, which has its chains in the same
 * database. A pause does not stop what has a slot. On EVM networks the slot itself lets one transfer through; on Tron it does
 * not, so there nothing more is signed.
 */
export async function pauseRestoredPayouts(db: Database, mode: Mode): Promise<void> {
  if (mode !== 'live' || !(await firstOrderAt(db))) return;
  const pausedAt = new Date();
  const givenUp = await db.transaction(async tx => {
    await insertPause(tx, { id: uuidV7(pausedAt), reason: REASON, pausedAt, pausedBy: 'operator' });
    let count = 0;
    for (const network of NETWORKS.filter(name => NETWORK_FACTS[name].kind === 'tron')) {
      count += await giveUpUnmined(tx, network, pausedAt);
    }
    return count;
  });
  console.log(`All payouts are paused: ${REASON}.`);
  if (givenUp > 0)
    console.log(`Transfers on Tron that no block had are given up: ${givenUp}. Their orders wait for you.`);
}
