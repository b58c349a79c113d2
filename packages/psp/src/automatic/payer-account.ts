// The payer's account at their bank: the largest charge that they allow, and the available money.
import { centsOf } from '../checks.ts';
import type { Core } from '../core.ts';
import { PspRefusal } from '../payer.ts';
import { current } from '../state.ts';
import type { Rec } from './model.ts';
import { requireRec } from './payer-target.ts';

export type AccountInput = {
  readonly idRec: string;
  /** The largest charge that they allow; null for any. */
  readonly maximum?: string | null;
  /** The available money; null for unlimited. */
  readonly balance?: string | null;
};

export function setAccount(core: Core, { idRec, maximum, balance }: AccountInput): Rec {
  const rec = requireRec(core, idRec);
  if (maximum !== undefined) setMaximum(rec, maximum);
  if (balance !== undefined) rec.account.balance = balance === null ? undefined : cents('balance', balance);
  return rec;
}

/** The norm: no maximum for a fixed amount, and no maximum below the receiver's minimum. */
export function setMaximum(rec: Rec, maximum: string | null): void {
  const { valorRec, valorMinimoRecebedor = '0.00' } = current(rec).terms.valor ?? {};
  if (maximum !== null && valorRec !== undefined)
    throw new PspRefusal('bad_input', 'A recurrence of a fixed amount has no maximum.');
  const allowed = maximum === null ? undefined : cents('maximum', maximum);
  if (allowed !== undefined && allowed < centsOf(valorMinimoRecebedor))
    throw new PspRefusal('bad_input', `The maximum must not be below ${valorMinimoRecebedor}.`);
  rec.account.maximum = allowed;
}

function cents(name: string, text: string): bigint {
  if (!/^\d{1,10}\.\d{2}$/.test(text)) throw new PspRefusal('bad_input', `${name} must be written as 12.34.`);
  return centsOf(text);
}
