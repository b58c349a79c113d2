// Percents of requests, as decimal text.

/** A JSON number as plain decimal text: 1e-7 too. */
export function decimalText(number: number): string {
  const text = String(number);
  return text.includes('e') ? number.toFixed(20).replace(/\.?0+$/, '') : text;
}
