// The abatement and the discounts of a charge as the database stores them: JSON, with cents as text.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Discount, EarlyDays, Reduction } from '../../rails/reductions.ts';

export type StoredReduction = { readonly amountCents: string } | { readonly percent: string };
export type StoredDiscount = StoredReduction & ({ readonly until: CivilDay } | { readonly perDay: EarlyDays });

export function toStored(reduction: Reduction): StoredReduction {
  return 'percent' in reduction ? reduction : { ...reduction, amountCents: String(reduction.amountCents) };
}

export function fromStored(stored: StoredDiscount): Discount;
export function fromStored(stored: StoredReduction): Reduction;
export function fromStored(stored: StoredReduction): Reduction {
  return 'percent' in stored ? stored : { ...stored, amountCents: BigInt(stored.amountCents) };
}
