// Decimals as text and as integers of their smallest unit: "1.5" with six decimals is 1,500,000 units. No floats, and every
// division names its rounding.

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** The units of decimal text; undefined when the text is not a decimal, or has more decimals than the unit. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > decimals) return undefined;
  return BigInt(whole + kept.padEnd(decimals, '0'));
}

const SCIENTIFIC = /^(\d{1,60})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/;

/** The maximum number of decimals, and of the exponent, that `plainDecimal` reads. */
export const MAX_DECIMALS = 60;

/**
 * Converts a JSON number to its shortest decimal text without exponent: "1.50e-3" is "0.0015". Undefined when the text is
 * no number, is negative, or is longer than any number the service uses.
 */
export function plainDecimal(text: string): string | undefined {
  const [, whole, fraction = '', exponent = '0'] = SCIENTIFIC.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const shift = Number(exponent);
  const decimals = fraction.replace(/0+$/, '').length - shift;
  if (shift > MAX_DECIMALS || decimals > MAX_DECIMALS) return undefined;
  const units = BigInt(whole + fraction.replace(/0+$/, ''));
  return decimals >= 0 ? formatUnits(units, decimals) : String(units * tenTo(-decimals));
}

/** Units as decimal text in its shortest form: 1,500,000 with six decimals is "1.5". */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return sign + (fraction === '' ? whole : `${whole}.${fraction}`);
}

/** The quotient of two numbers, rounded down. Neither may be negative. */
export function divideDown(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor;
}

/** The quotient of two numbers, rounded up. Neither may be negative. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

export function tenTo(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** A number that JSON.stringify writes digit for digit, with any number of digits. */
export type ExactNumber = { readonly rawJSON: string };

/** A value that JSON.stringify writes as a number with exactly these digits. */
export function exactNumber(text: string): ExactNumber {
  return rawJson(text);
}

// JavaScript has JSON.rawJSON; the type library does not declare it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): ExactNumber };
