// Refuses an amount above the maximum of a method.
import type { Method } from './methods/methods.ts';
import type { Refusal } from './rail.ts';

export function checkCeiling(method: Method, maxCents: bigint, amountCents: bigint): Refusal | undefined {
  if (amountCents <= maxCents) return undefined;
  const reais = (Number(maxCents) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });
  return { path: 'amountCents', code: 'above_ceiling', message: `is more than a ${method} can carry (BRL ${reais})` };
}
