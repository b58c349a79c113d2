// Pauses payouts and resumes them. Both are known to every node from their commit on, and wake the lines, so that the orders in
// them say what they wait for.
import { NETWORKS, type Network } from '../chains/asset.ts';
import type { Queue } from '../jobs/queue.ts';
import { setAuditObject, withoutAuditContext } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Pause, PauseScope } from '../payouts/pause.ts';
import { deletePause, insertPause, readPauses } from '../payouts/store-pauses.ts';
import { lockSenders } from '../payouts/store-senders.ts';
import type { Database, Sql } from '../storage/database.ts';
import { wakeLine } from './claim-job.ts';

export type PauseDeps = { readonly db: Database; readonly queue: Queue; readonly clock: Clock };

export type NewPause = PauseScope & { readonly reason?: string; readonly by: string };

/**
 * No order of the scope takes a slot from the moment this returns until it is resumed. A scope that is paused stays as it is.
 * Returns all pauses.
 *
 * @example
 * await pausePayouts(deps, { network: 'polygon', reason: 'key rotation', by: 'operator' });
 */
export async function pausePayouts(deps: PauseDeps, { by, ...scope }: NewPause): Promise<Pause[]> {
  const pausedAt = deps.clock.now();
  const id = uuidV7(pausedAt);
  await deps.db.transaction(async tx => {
    setAuditObject(id);
    await insertPause(tx, { ...scope, id, pausedAt, pausedBy: by });
    await wakeLines(deps, tx, scope);
  });
  // Claims that began before the commit above have not seen it. They hold the rows of their senders; wait until they have ended.
  await withoutAuditContext(() => deps.db.transaction(tx => lockSenders(tx, networksOf(scope))));
  return readPauses(deps.db);
}

/** Ends the pause of exactly this scope; others stay. Returns those that are left. */
export async function resumePayouts(deps: PauseDeps, scope: PauseScope): Promise<Pause[]> {
  await deps.db.transaction(async tx => {
    const pause = (await readPauses(tx)).find(
      ({ network, symbol }) => network === scope.network && symbol === scope.symbol,
    );
    if (!pause) return;
    setAuditObject(pause.id);
    await deletePause(tx, scope);
    await wakeLines(deps, tx, scope);
  });
  return readPauses(deps.db);
}

function networksOf({ network }: PauseScope): readonly Network[] {
  return network === undefined ? NETWORKS : [network];
}

async function wakeLines(deps: PauseDeps, tx: Sql, scope: PauseScope): Promise<void> {
  for (const network of networksOf(scope)) await wakeLine(deps, tx, network);
}
