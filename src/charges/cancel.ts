// Cancels an unpaid charge.
import type { Clock } from '../lib/clock.ts';
import { AppError, noSuch } from '../lib/errors.ts';
import type { Database, Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';
import { enqueueRetirement } from './issue/retire.ts';
import { canceled, isUnpaid } from './life.ts';
import { lockCharges } from './store/charges.ts';
import { clearTimers } from './store/timers.ts';
import { type WriteDeps, writeSteps } from './write.ts';

type Deps = WriteDeps & { readonly db: Database; readonly clock: Clock };

/** Cancels every unpaid method. A canceled charge is returned as it is; a paid or expired one is refused. */
export async function cancelCharge(deps: Deps, id: string): Promise<Charge> {
  const at = deps.clock.now();
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    if (!charge) throw noSuch('charge');
    if (charge.state === 'CANCELED') return charge;
    if (!charge.methods.some(isUnpaid)) {
      throw new AppError('wrong_state', `A charge that is ${charge.state} cannot be canceled.`);
    }
    return cancelOpen(deps, tx, charge, at);
  });
}

/** The caller holds the lock of the charge. */
export async function cancelOpen(deps: WriteDeps, tx: Sql, charge: Charge, at: Date): Promise<Charge> {
  const [written] = await cancelAllOpen(deps, tx, [charge], at);
  return written!;
}

/** The caller holds the locks of the charges. */
export async function cancelAllOpen(
  deps: WriteDeps,
  tx: Sql,
  charges: readonly Charge[],
  at: Date,
): Promise<readonly Charge[]> {
  const written = await writeSteps(
    deps,
    tx,
    charges.map(charge => ({ step: canceled(charge), at })),
  );
  await clearTimers(tx, charges);
  await enqueueRetirement(
    deps.queue,
    tx,
    charges.map((before, index) => ({ before, after: written[index]! })),
  );
  return written;
}
