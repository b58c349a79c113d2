// What a database needs after a restore before a service may start on it. The world outside has gone on since the backup: payouts stay
// paused until a person has compared the books with the chains, and what was revoked since works again until a person has reviewed it.
import assert from 'node:assert/strict';
import { endAllLogins } from '../accounts/people/store-sessions.ts';
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

export type RestoredTo = {
  readonly mode: Mode;
  /** What happened later is not in the database. */
  readonly asOf: Date;
};

/**
 * Returns the messages for the operator after the commit. A sandbox stays as it was saved: it has no logins, and its chains are in the
 * same database.
 */
export async function makeRestoredSafe(tx: Sql, { mode, asOf }: RestoredTo): Promise<string[]> {
  if (mode !== 'live') return [];
  const at = new Date();
  const context = { actor: OPERATOR, action: 'trilho restore', at, status: 0 };
  const { sessions, links, challenges } = await endAllLogins(tx);
  const ended = sessions + links + challenges;
  const paused = await pausePayouts(tx, asOf, at);
  await insertAuditLines(tx, [{ id: uuidV7(at), objectId: paused?.pauseId ?? 'logins', context }]);
  return [
    ...(ended > 0 ? [`Ended: sessions ${sessions}, login links ${links}, passkey challenges ${challenges}.`] : []),
    ...(paused?.lines ?? []),
    ...(await reviewAfterRestore(tx, asOf)),
  ];
}

/**
 * Only where there are orders: the first may have been paid after the backup. A pause does not stop what has a slot. On a network with
 * nonces the slot itself lets one transfer through; on one without it does not, so there nothing more is signed.
 */
async function pausePayouts(
  tx: Sql,
  asOf: Date,
  at: Date,
): Promise<{ readonly pauseId: string; readonly lines: readonly string[] } | undefined> {
  if (!(await firstOrderAt(tx))) return undefined;
  await insertPause(tx, { id: uuidV7(at), reason: REASON, pausedAt: at, pausedBy: OPERATOR });
  // A pause of everything that was there before stays, and does for both.
  const pause = (await readPauses(tx)).find(({ network, symbol }) => network === undefined && symbol === undefined);
  assert(pause);
  await insertRestore(tx, { id: uuidV7(at), asOf, restoredAt: at, pauseId: pause.id });
  const lines = [`All payouts are paused: ${REASON}.`];
  for (const network of NETWORKS.filter(name => !familyOf(name).hasNonces)) {
    const givenUp = await giveUpUnmined(tx, network, at);
    if (givenUp === 0) continue;
    const { label } = NETWORK_FACTS[network];
    lines.push(`Transfers on ${label} that no block had are given up: ${givenUp}. Their orders wait for you.`);
  }
  return { pauseId: pause.id, lines };
}
