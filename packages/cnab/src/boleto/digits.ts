// Zero filling and check digits for bank layouts.
import assert from 'node:assert/strict';

const TWO_TO_NINE = [2, 3, 4, 5, 6, 7, 8, 9] as const;

/** The number with leading zeros, `width` digits in total. Asserts that it consists of digits and fits. */
export function zeroFilled(number: string, width: number): string {
  assert(/^\d+$/.test(number) && number.length <= width, `a number of this layout has 1 to ${width} digits`);
  return number.padStart(width, '0');
}

/** Modulo 10 with weights 2, 1, 2, 1 from the right; a two-digit product counts as the sum of its digits. */
export function modulo10(digits: string): number {
  let sum = 0;
  for (let index = digits.length - 1, weight = 2; index >= 0; index--, weight = 3 - weight) {
    const product = Number(digits[index]) * weight;
    sum += product > 9 ? product - 9 : product;
  }
  return (10 - (sum % 10)) % 10;
}

/**
 * Eleven minus the remainder of modulo 11: 1 to 11; each caller decides how 10 and 11 are written. The weights start at the
 * rightmost digit and repeat.
 */
export function modulo11(digits: string, weights: readonly number[] = TWO_TO_NINE): number {
  let sum = 0;
  for (let place = 0; place < digits.length; place++) {
    sum += Number(digits[digits.length - 1 - place]) * weights[place % weights.length]!;
  }
  return 11 - (sum % 11);
}

/** Modulo 11 as most banks write it: 10 and 11 become 0. */
export function modulo11OrZero(digits: string, weights?: readonly number[]): number {
  const digit = modulo11(digits, weights);
  return digit > 9 ? 0 : digit;
}
