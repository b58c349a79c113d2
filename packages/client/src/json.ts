// JSON as the service writes it: decimals are numbers with up to 18 digits after the point, more than a JavaScript number holds.

/** A decimal as text, digit by digit as the service sent it: `"6312.602636"`. */
export type Decimal = string;

/** The decimals of everything that has a `quantity`: quotes and orders. Other numbers are cents, counts and percents. */
export const DECIMAL_FIELDS: readonly string[] = ['quantity', 'cost', 'price', 'fee', 'networkFee'];

/** What a runtime passes on about a number; older browsers do not, and their decimals have the digits of a number. */
type Context = { readonly source?: string };

/** Parses an answer, or the body of a webhook. Decimals become text, unknown fields and values stay as they are. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, function (this: { quantity?: unknown }, key: string, value: unknown, context?: Context) {
    const isDecimal = typeof value === 'number' && this.quantity !== undefined && DECIMAL_FIELDS.includes(key);
    return isDecimal ? (context?.source ?? String(value)) : value;
  });
}
