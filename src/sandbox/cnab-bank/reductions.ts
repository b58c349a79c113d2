// Discounts and abatement of a title as the simulated bank reads and judges them: codes of the norm (C021, C047).
import type { CivilDay } from '../../lib/civil-days.ts';
import { at, centsIn, dayIn } from './columns.ts';
import type { BankRules } from './rules.ts';

type Discount = { readonly code: string; readonly day: string; readonly hundredths: bigint | undefined };

/** `0`: the bank has one kind of discount, and no code of it. */
const UNTIL_A_DAY = ['0', '1', '2'];
const PERCENTS = ['2', '5', '6'];
const HUNDRED_PERCENT = 10_000n;

/** The three places of discounts, those without one included. */
function discountsIn(P: string, R: string | undefined): Discount[] {
  const place = (line: string, from: number): Discount => ({
    code: at(line, from, from),
    day: at(line, from + 1, from + 8),
    hundredths: centsIn(at(line, from + 9, from + 23)),
  });
  return [place(P, 142), ...(R === undefined ? [] : [place(R, 18), place(R, 42)])];
}

export function abatementIn(P: string): bigint | undefined {
  return centsIn(at(P, 181, 195));
}

export function hasDiscount(P: string): boolean {
  return (centsIn(at(P, 151, 165)) ?? 0n) > 0n;
}

/** The codes of what is wrong with them. */
export function reductionsAgainst(
  { discountCodes }: BankRules,
  P: string,
  R: string | undefined,
  due: CivilDay | undefined,
): string[] {
  const amount = centsIn(at(P, 86, 100)) ?? 0n;
  const abatement = abatementIn(P);
  return [
    ...(abatement === undefined ? ['33'] : abatement > 0n && abatement >= amount ? ['34'] : []),
    ...discountsIn(P, R).flatMap(one => discountAgainst(discountCodes, one, amount, due)),
  ];
}

function discountAgainst(
  codes: readonly string[],
  { code, day, hundredths }: Discount,
  amount: bigint,
  due: CivilDay | undefined,
): string[] {
  if (hundredths === undefined) return ['30'];
  if (hundredths === 0n) return code === '0' ? [] : ['30'];
  const last = dayIn(day);
  const isDayWrong = last === undefined ? UNTIL_A_DAY.includes(code) : due !== undefined && last > due;
  return [
    ...(codes.includes(code) ? [] : ['28']),
    ...(hundredths >= (PERCENTS.includes(code) ? HUNDRED_PERCENT : amount) ? ['29'] : []),
    ...(isDayWrong ? ['80'] : []),
  ];
}
