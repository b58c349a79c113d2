// Refuses an amount above the maximum of a rail.
import type { Rail, Refusal } from './rail.ts';

export function checkCeiling({ method, limits }: Rail, amountCents: bigint): Refusal | undefined {
  if (amountCents <= limits.maxAmountCents) return undefined;
  const reais = (Number(limits.maxAmountCents) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });
  return { path: 'amountCents', code: 'above_ceiling', message: `is more than a ${method} can carry (BRL ${reais})` };
}
