// The boletos of an instalment plan: those that can still be paid are printed together.
import { type Charge, type ChargeMethod, isOf } from '../charges/charge.ts';
import { isUnpaid } from '../charges/life.ts';

type BoletosOfPlan = {
  /** Whether there ever was one. */
  readonly any: boolean;
  /** Those that can still be paid, with their charges. */
  readonly open: readonly { readonly charge: Charge; readonly boleto: ChargeMethod<'boleto'> }[];
  /** How many of them the bank has not made yet. Until then nothing is printed. */
  readonly missing: number;
};

export function boletosOfPlan(charges: readonly Charge[]): BoletosOfPlan {
  const boletos = charges.flatMap(charge => {
    const boleto = charge.methods.find(isOf('boleto'));
    return boleto && boleto.status !== 'FAILED' ? [{ charge, boleto }] : [];
  });
  const open = boletos.filter(({ boleto }) => isUnpaid(boleto));
  return { any: boletos.length > 0, open, missing: open.filter(({ boleto }) => !boleto.instrument).length };
}
