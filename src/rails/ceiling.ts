// The refusal of an amount that an instrument has no room for.
import type { Refusal } from './rail.ts';

export function aboveCeiling(what: string, ceilingCents: bigint): Refusal {
  const reais = (Number(ceilingCents) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });
  return { path: 'amountCents', code: 'above_ceiling', message: `is more than ${what} can carry (BRL ${reais})` };
}
