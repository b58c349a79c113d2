// After a restore payouts stay paused until a person has compared the books with the chains: what left after the backup is not in
// it, and those orders would be paid again.
import { NETWORKS } from '../chains/asset.ts';
import { NETWORK_FACTS } from '../chains/networks.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import { firstOrderAt } from '../orders/store-like.ts';
import { giveUpUnmined } from '../payouts/store-adopt.ts';
import { insertPause } from '../payouts/store-pauses.ts';
import { insertAuditLines } from '../storage/audit.ts';
import type { Sql } from '../storage/database.ts';

const OPERATOR = 'operator';
const REASON = 'the database was restored; see docs/operations.md#restore before trilho payouts resume';

/**
 * Only where there are orders: the first may have been paid after the backup. Not in a sandbox, which has its chains in the same
 * database. A pause does not stop what has a slot. On EVM networks the slot itself lets one transfer through; on Tron it does
 * not, so there nothing more is signed. Returns what to tell the operator once it is committed.
 */
export async function pauseRestoredPayouts(tx: Sql, mode: Mode): Promise<string[]> {
  if (mode !== 'live' || !(await firstOrderAt(tx))) return [];
  const at = new Date();
  const pauseId = uuidV7(at);
  await insertPause(tx, { id: pauseId, reason: REASON, pausedAt: at, pausedBy: OPERATOR });
  const context = { actor: OPERATOR, action: 'trilho restore', at, status: 0 };
  await insertAuditLines(tx, [{ id: uuidV7(at), objectId: pauseId, context }]);
  let givenUp = 0;
  for (const network of NETWORKS.filter(name => NETWORK_FACTS[name].kind === 'tron')) {
    givenUp += await giveUpUnmined(tx, network, at);
  }
  const lines = [`All payouts are paused: ${REASON}.`];
  if (givenUp > 0)
    lines.push(`Transfers on Tron that no block had are given up: ${givenUp}. Their orders wait for you.`);
  return lines;
}
