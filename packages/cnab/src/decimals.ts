// Decimal text and integers of its smallest unit: "1.5" with two decimals is 150 units. No floats.

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;
const DAYS_A_MONTH = 30n;
const HUNDRED = 100n;

/** The units of decimal text; undefined when it is no decimal, or has more decimals than the unit. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  const kept = fraction.replace(/0+$/, '');
  return whole === undefined || kept.length > decimals ? undefined : BigInt(whole + kept.padEnd(decimals, '0'));
}

/** Units, which are not negative, as decimal text in its shortest form. */
export function formatUnits(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const place = digits.length - decimals;
  const fraction = digits.slice(place).replace(/0+$/, '');
  return fraction === '' ? digits.slice(0, place) : `${digits.slice(0, place)}.${fraction}`;
}

/** Simple interest of a day at a percent a month, a thirtieth of it; truncated to cents. Throws a RangeError for other text. */
export function interestADay(amountCents: bigint, percentAMonth: string): bigint {
  const [, whole, fraction = ''] = DECIMAL.exec(percentAMonth) ?? [];
  if (whole === undefined) throw new RangeError('must be a percent as decimal text');
  return (amountCents * BigInt(whole + fraction)) / (HUNDRED * DAYS_A_MONTH * 10n ** BigInt(fraction.length));
}
