// Money is whole cents in a bigint. Every division names its rounding.

/** `amountCents` times a decimal rate such as "5.4321", rounded half to even. */
export function convertCents(amountCents: bigint, rate: string): bigint {
  const [whole = '0', fraction = ''] = rate.split('.');
  const divisor = 10n ** BigInt(fraction.length);
  return divideHalfEven(amountCents * BigInt(whole + fraction), divisor);
}

/** The same, rounded down. */
export function convertCentsDown(amountCents: bigint, rate: string): bigint {
  const [whole = '0', fraction = ''] = rate.split('.');
  return (amountCents * BigInt(whole + fraction)) / 10n ** BigInt(fraction.length);
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twiceRest = (dividend % divisor) * 2n;
  if (twiceRest > divisor || (twiceRest === divisor && quotient % 2n === 1n)) return quotient + 1n;
  return quotient;
}
