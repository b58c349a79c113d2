// Records that a bank wrote a boleto off on its own: it expired there, or a person of the account requested it at the bank.
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../storage/database.ts';
import { isOf } from './charge.ts';
import { isUnpaid, writtenOff } from './life.ts';
import { lockCharges } from './store/charges.ts';
import { clearTimers } from './store/timers.ts';
import { type WriteDeps, writeStep } from './write.ts';

type Deps = WriteDeps & { readonly db: Database; readonly clock: Clock };

/** False: the boleto had already ended or was paid, and is unchanged. */
export async function writeOffBoleto(deps: Deps, id: string, to: 'CANCELED' | 'EXPIRED'): Promise<boolean> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    const boleto = charge?.methods.find(isOf('boleto'));
    if (!charge || !boleto || !isUnpaid(boleto)) return false;
    const written = await writeStep(deps, tx, writtenOff(charge, boleto.method, to), deps.clock.now());
    if (!written.methods.some(isUnpaid)) await clearTimers(tx, [written]);
    return true;
  });
}
