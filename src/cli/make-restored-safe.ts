// Makes a restored database safe to start on. It does not know what happened after the backup: payouts stay paused until a person
// has compared the books with the chains, and what was revoked since then works again until a person has reviewed it.
import assert from 'node:assert/strict';
import { endAllLogins } from '../accounts/people/store-sessions.ts';
import { beginAnew } from '../billing/reminders/after-restore.ts';
import { NETWORKS } from '../chains/asset.ts';
import { familyOf, NETWORK_FACTS } from '../chains/networks.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import { firstOrderAt } from '../orders/store-like.ts';
import { giveUpUnmined } from '../payouts/store/adopt.ts';
import { insertPause, readPauses } from '../payouts/store/pauses.ts';
import { insertRestore } from '../payouts/store/restores.ts';
import { insertAuditLines } from '../storage/audit.ts';
import type { Sql } from '../storage/database.ts';
import { reviewAfterRestore } from './review-after-restore.ts';

const OPERATOR = 'operator';
const REASON = 'the database was restored; see docs/backup.md#restore before trilho payouts resume';

type RestoredTo = {
  readonly mode: Mode;
  /** The database has nothing later than this. */
  readonly asOf: Date;
};

/**
 * Returns messages to print after the commit. A sandbox needs nothing: it has no logins, and its chains are in the same database.
 */
export async function makeRestoredSafe(tx: Sql, { mode, asOf }: RestoredTo): Promise<string[]> {
  if (mode !== 'live') return [];
  const at = new Date();
  const context = { actor: OPERATOR, action: 'trilho restore', at, status: 0 };
  const { sessions, links, challenges } = await endAllLogins(tx);
  const ended = sessions + links + challenges;
  const paused = await pausePayouts(tx, asOf, at);
  const skipped = await beginAnew(tx, at);
  await insertAuditLines(tx, [{ id: uuidV7(at), objectId: paused?.pauseId ?? 'logins', context }]);
  return [
    ...(ended > 0 ? [`Ended: sessions ${sessions}, login links ${links}, passkey challenges ${challenges}.`] : []),
    ...(paused?.lines ?? []),
    ...(skipped > 0 ? [`Reminders that waited are skipped, since they may have been sent: ${skipped}.`] : []),
    ...(await reviewAfterRestore(tx, asOf)),
  ];
}

/**
 * Only where there are orders: they may have been paid after the backup. A pause does not stop a payout that has a slot. On a network
 * with nonces the slot lets only one transfer through; on a network without, nothing prevents a second one, so nothing more is signed.
 */
async function pausePayouts(
  tx: Sql,
  asOf: Date,
  at: Date,
): Promise<{ readonly pauseId: string; readonly lines: readonly string[] } | undefined> {
  if (!(await firstOrderAt(tx))) return undefined;
  await insertPause(tx, { id: uuidV7(at), reason: REASON, pausedAt: at, pausedBy: OPERATOR });
  // An earlier pause of everything stays, and serves both purposes.
  const pause = (await readPauses(tx)).find(({ network, symbol }) => network === undefined && symbol === undefined);
  assert(pause);
  await insertRestore(tx, { id: uuidV7(at), asOf, restoredAt: at, pauseId: pause.id });
  const lines = [`All payouts are paused: ${REASON}.`];
  for (const network of NETWORKS.filter(name => !familyOf(name).hasNonces)) {
    const givenUp = await giveUpUnmined(tx, network, at);
    if (givenUp === 0) continue;
    const { label } = NETWORK_FACTS[network];
    lines.push(`Transfers on ${label} that were in no block are given up: ${givenUp}. Their orders are held for you.`);
  }
  return { pauseId: pause.id, lines };
}
