// Barcode and digitable line as FEBRABAN defines them. Independent of the service's own encoder on purpose.

const FACTOR_1000 = Date.UTC(2025, 1, 22);
const DAY_MS = 86_400_000;

type Parts = { readonly bank: string; readonly dueOn: string; readonly cents: bigint; readonly freeField: string };

export function barcodeOf({ bank, dueOn, cents, freeField }: Parts): string {
  const days = Math.round((Date.parse(`${dueOn}T00:00:00Z`) - FACTOR_1000) / DAY_MS);
  const rest = `${1000 + days}${String(cents).padStart(10, '0')}${freeField}`;
  const weighted = [...`${bank}9${rest}`].reverse().map((digit, place) => Number(digit) * (2 + (place % 8)));
  const digit = 11 - (weighted.reduce((sum, one) => sum + one, 0) % 11);
  return `${bank}9${digit === 10 || digit === 11 ? 1 : digit}${rest}`;
}

export function lineOf(barcode: string): string {
  const free = barcode.slice(19);
  const blocks = [barcode.slice(0, 4) + free.slice(0, 5), free.slice(5, 15), free.slice(15, 25)];
  return blocks.map(block => block + luhn(block)).join('') + barcode.slice(4, 19);
}

/** Doubles every second digit from the right, begins with the last, and adds the digits of the products. */
function luhn(block: string): string {
  const products = [...block].reverse().map((digit, place) => Number(digit) * (place % 2 === 0 ? 2 : 1));
  const sum = products.reduce((total, product) => total + Math.floor(product / 10) + (product % 10), 0);
  return String((10 - (sum % 10)) % 10);
}
