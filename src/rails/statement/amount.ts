// Reads amounts as Brazilian banks print them into cents, without floats and without guessing.

/** Longer than any amount with sign, symbol and letter. */
const MAX_LENGTH = 40;
/** Ten trillion reais: more than any account holds, and well within PostgreSQL's bigint. */
export const MAX_AMOUNT_CENTS = 10n ** 15n - 1n;

const MINUS = '[+\\-−–]';
const AMOUNT = new RegExp(
  `^(\\()?\\s*(${MINUS})?\\s*(?:R\\$)?\\s*(${MINUS})?\\s*([\\d.,]+)\\s*(${MINUS})?\\s*([CD])?\\s*(\\))?$`,
  'i',
);

/**
 * Reads `1.234,56`, `1234.56`, `1,234.56`, `6000.000,00`, `-10,00`, `10,00-`, `(10,00)`, `R$ 10,00`, `10,00 C`, `10,00 D`, `10`.
 * Undefined for everything else: fractions of a cent, contradicting signs, and `1.234` or `1,234`, which mean a thousand at
 * one bank and a fraction at another.
 */
export function centsOf(text: string): bigint | undefined {
  return amountOf(text)?.cents;
}

/** An amount with its sign in the text: a minus, parentheses, a plus, or a letter for credit or debit. */
export type WrittenAmount = { readonly cents: bigint; readonly sign: 'minus' | 'plus' | 'letter' | undefined };

export function amountOf(text: string): WrittenAmount | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const match = AMOUNT.exec(text.trim());
  if (!match) return undefined;
  const [, open, first, second, digits = '', third, side, close] = match;
  const signs = [first, second, third].filter(sign => sign !== undefined);
  if ((open === undefined) !== (close === undefined)) return undefined;
  if (signs.length > 1 || (open !== undefined && signs.length > 0)) return undefined;
  const minus = open !== undefined || (signs[0] !== undefined && signs[0] !== '+');
  const debit = side?.toUpperCase() === 'D';
  if (side !== undefined && !debit && minus) return undefined;
  if (debit && signs[0] === '+') return undefined;
  const cents = unsignedCents(digits);
  if (cents === undefined || cents > MAX_AMOUNT_CENTS) return undefined;
  const sign = minus ? 'minus' : signs[0] !== undefined ? 'plus' : side !== undefined ? 'letter' : undefined;
  return { cents: minus || debit ? -cents : cents, sign };
}

function unsignedCents(digits: string): bigint | undefined {
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last === -1) return BigInt(`${digits}00`);
  const mark = digits[last]!;
  const other = mark === '.' ? ',' : '.';
  const before = digits.slice(0, last);
  const after = digits.slice(last + 1);
  if (before.includes(mark)) return isGrouped(digits, mark) ? BigInt(`${digits.replaceAll(mark, '')}00`) : undefined;
  if (before.includes(other))
    return isGrouped(before, other, ANY_HEAD) ? join(before.replaceAll(other, ''), after) : undefined;
  if (after.length === 3 && /^[1-9]\d{0,2}$/.test(before)) return undefined;
  return join(before, after);
}

// One bank separates only the last thousands, as in 6000.000,00; the decimals make that unambiguous.
const ANY_HEAD = /^\d+$/;

function isGrouped(digits: string, mark: string, headForm = /^\d{1,3}$/): boolean {
  const [head = '', ...groups] = digits.split(mark);
  return headForm.test(head) && groups.every(group => /^\d{3}$/.test(group));
}

/** Decimals after the cents are accepted only if they are zeros. */
function join(whole: string, fraction: string): bigint | undefined {
  if (!/^(?:\d|\d\d0*)$/.test(fraction)) return undefined;
  return BigInt(whole + fraction.slice(0, 2).padEnd(2, '0'));
}
