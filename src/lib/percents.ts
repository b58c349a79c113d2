// Percents as decimal text, such as "2" or "0.033": exact with any number of decimals, no floats.

/** `units` / 10^`decimals` percent. */
type Percent = { readonly units: bigint; readonly decimals: number };

const DAYS_A_MONTH = 30n;
const HUNDRED = 100n;

/** A percent of an amount, truncated to cents. */
export function percentTruncated(amountCents: bigint, percent: string): bigint {
  const { units, decimals } = read(percent);
  return truncate(amountCents * units, HUNDRED * tenTo(decimals));
}

/** Simple interest at a percent per month, a thirtieth per calendar day; truncated to cents once, at the end. */
export function interestTruncated(amountCents: bigint, percentAMonth: string, days: number): bigint {
  const { units, decimals } = read(percentAMonth);
  return truncate(amountCents * units * BigInt(days), HUNDRED * DAYS_A_MONTH * tenTo(decimals));
}

/** Negative when `a` is smaller, positive when it is larger, else 0. */
export function comparePercents(a: string, b: string): number {
  const [left, right] = [read(a), read(b)];
  const difference = left.units * tenTo(right.decimals) - right.units * tenTo(left.decimals);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The same percent in its shortest form: "02.50" is "2.5". */
export function plainPercent(percent: string): string {
  return write(read(percent));
}

/** An exact hundredth: 2 % for a caller who wrote "200". */
export function hundredthOf(percent: string): string {
  const { units, decimals } = read(percent);
  return write({ units, decimals: decimals + 2 });
}

const DECIMAL = /^\d+(?:\.\d+)?$/;

function read(percent: string): Percent {
  if (!DECIMAL.test(percent)) throw new RangeError('a percent is decimal text such as "2" or "0.033"');
  const [whole = '', fraction = ''] = percent.split('.');
  return { units: BigInt(whole + fraction), decimals: fraction.length };
}

function write({ units, decimals }: Percent): string {
  const whole = units / tenTo(decimals);
  const fraction =
    decimals === 0
      ? ''
      : String(units % tenTo(decimals))
          .padStart(decimals, '0')
          .replace(/0+$/, '');
  return fraction === '' ? String(whole) : `${whole}.${fraction}`;
}

function tenTo(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Rounds towards zero, as the division of bigints does. */
function truncate(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor;
}
