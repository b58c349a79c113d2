// Decimals as text and as whole numbers of their smallest unit: "1.5" with six decimals is 1,500,000 units. No float on the
// way, and every division says which way it rounds.

const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

/** The units of decimal text; undefined when it is none, or has more decimals than the unit can hold. */
export function parseUnits(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > decimals) return undefined;
  return BigInt(whole + kept.padEnd(decimals, '0'));
}

const SCIENTIFIC = /^(\d{1,60})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/;

/** The most decimals that `plainDecimal` reads; an exponent may shift as far. */
export const MAX_DECIMALS = 60;

/** A number as JSON writes it, with its exponent written out and in its shortest form: "1.50e-3" is "0.0015". Undefined when it is none, below zero, or longer than any number of ours. */
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

/** A quotient of numbers that are not negative, rounded down. */
export function divideDown(dividend: bigint, divisor: bigint): bigint {
  return dividend / divisor;
}

/** A quotient of numbers that are not negative, rounded up. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

export function tenTo(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Decimal text that JSON.stringify writes as a number, digit for digit. */
export function exactNumber(text: string): unknown {
  return rawJson(text);
}

// The language has it; the compiler's library does not name it yet.
const { rawJSON: rawJson } = JSON as unknown as { rawJSON(text: string): unknown };
