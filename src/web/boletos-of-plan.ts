// The boletos of an instalment plan: those that can still be paid are printed together.
import type { PlanPart } from '../billing/instalments/show.ts';
import { type ChargeMethod, isOf } from '../charges/charge.ts';
import { isUnpaid } from '../charges/life.ts';

type BoletosOfPlan = {
  /** Whether there ever was one. */
  readonly any: boolean;
  /** Those that can still be paid, with their charges. */
  readonly open: readonly (PlanPart & { readonly boleto: ChargeMethod<'boleto'> })[];
  /** How many of them the bank has not made yet. Until then nothing is printed. */
  readonly missing: number;
};

export function boletosOfPlan(parts: readonly PlanPart[]): BoletosOfPlan {
  const boletos = parts.flatMap(part => {
    const boleto = part.charge.methods.find(isOf('boleto'));
    return boleto && boleto.status !== 'FAILED' ? [{ ...part, boleto }] : [];
  });
  const open = boletos.filter(({ boleto }) => isUnpaid(boleto));
  return { any: boletos.length > 0, open, missing: open.filter(({ boleto }) => !boleto.instrument).length };
}
