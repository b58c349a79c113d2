// Pauses payouts and resumes them. Every node sees both as soon as they commit, and the lines are woken, so that those in them show what
// they wait for.
import { NETWORKS, type Network } from '../../chains/asset.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { waitForClaims, wakeUnsigned } from '../line/after-claims.ts';
import { type WakeDeps, wakeLine } from '../line/wake.ts';
import { deletePause, insertPause, readPauses } from '../store/pauses.ts';
import { findUncomparedOfPause, markExcused } from '../store/restores.ts';
import type { Pause, PauseScope } from './pause.ts';

export type PauseDeps = WakeDeps & { readonly db: Database; readonly clock: Clock };

type NewPause = PauseScope & { readonly reason?: string; readonly by: string };

/**
 * From when this returns until the scope is resumed, no payout of the scope takes a slot, and nothing is signed for a slot without a
 * signature. Pausing a paused scope changes nothing. Returns all pauses.
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
  await waitForClaims(deps, networksOf(scope));
  return readPauses(deps.db);
}

/**
 * Ends the pause of exactly this scope, and returns the remaining ones. The pause of a restore can end only after the books were compared
 * with the chains, unless an operator gives a reason in `unchecked`.
 */
export async function resumePayouts(deps: PauseDeps, scope: PauseScope, unchecked?: string): Promise<Pause[]> {
  await deps.db.transaction(async tx => {
    const pause = (await readPauses(tx)).find(
      ({ network, symbol }) => network === scope.network && symbol === scope.symbol,
    );
    if (!pause) return;
    setAuditObject(pause.id);
    if (unchecked !== undefined) await markExcused(tx, pause.id, unchecked, deps.clock.now());
    const restore = await findUncomparedOfPause(tx, pause.id);
    if (restore) throw notCompared(restore);
    await deletePause(tx, scope);
    await wakeLines(deps, tx, scope);
    await wakeUnsigned(deps, tx, networksOf(scope));
  });
  return readPauses(deps.db);
}

function notCompared({ asOf }: { readonly asOf: Date }): AppError {
  return new AppError(
    'wrong_state',
    `The database was restored as of ${asOf.toISOString()}: what was paid out since then would be paid again. Run trilho ledger check --chains, settle each transaction it names, and repeat it until the books agree with the chains; then resume. See docs/backup.md#restore.`,
  );
}

function networksOf({ network }: PauseScope): readonly Network[] {
  return network === undefined ? NETWORKS : [network];
}

async function wakeLines(deps: PauseDeps, tx: Sql, scope: PauseScope): Promise<void> {
  for (const network of networksOf(scope)) await wakeLine(deps, tx, network);
}
