// Instructions to a bank that works by files: register, change or write off a boleto. An instruction waits until it is put into a file.
import type { Clock } from '../../lib/clock.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Database } from '../../storage/database.ts';
import { type Charge, isOf } from '../charge.ts';
import { failDueChange } from '../due-date/change-due-date.ts';
import { lockCharges } from '../store/charges.ts';
import type { WriteDeps } from '../write.ts';
import { requeueWriteOff } from './store-answers.ts';
import { dropInstruction, insertInstructions, isRegistrationSent, type NewInstruction } from './store-files.ts';

export const ENDED = 'The boleto had already ended.';

type Deps = { readonly db: Database; readonly clock: Clock };

/** Instructs the bank to register the boletos that wait for it. Skips those that have ended or that the bank has decided on. */
export async function instructRegistrations(deps: Deps, charges: readonly Charge[]): Promise<void> {
  if (charges.length === 0) return;
  await deps.db.transaction(async tx => {
    // Under the locks, since a charge may be canceled concurrently; a boleto written off after that is never registered.
    const locked = await lockCharges(
      tx,
      charges.map(({ id }) => id),
    );
    const now = deps.clock.now();
    const instructions = locked.flatMap((charge): NewInstruction[] => {
      const boleto = charge.methods.find(isOf('boleto'));
      if (boleto?.status !== 'CREATING') return [];
      return [{ id: uuidV7(now), charge, rail: boleto.rail, movement: 'register' }];
    });
    await insertInstructions(tx, instructions, now);
  });
}

/** Instructs the bank to write the boleto off if a file has asked for its registration; otherwise the registration is dropped. */
export async function instructWriteOff(deps: Deps & WriteDeps, charge: Charge): Promise<void> {
  await deps.db.transaction(async tx => {
    const [locked] = await lockCharges(tx, [charge.id]);
    const boleto = locked?.methods.find(isOf('boleto'));
    if (!locked || !boleto) return;
    const now = deps.clock.now();
    if (locked.dueChange?.status === 'PENDING') {
      await dropInstruction(tx, locked, 'change_due_day', now);
      await failDueChange(deps, tx, locked, ENDED);
    }
    // A transaction that is making a file holds the lock on the instruction: this one waits, then finds the instruction in the file.
    await dropInstruction(tx, locked, 'register', now);
    // Also for one that waits to be sent again: the bank may have received its first file.
    if (!(await isRegistrationSent(tx, locked))) return;
    const instruction = { id: uuidV7(now), charge: locked, rail: boleto.rail, movement: 'write_off' } as const;
    await insertInstructions(tx, [instruction], now);
    await requeueWriteOff(tx, locked);
  });
}
