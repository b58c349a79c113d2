// Reads a decimal field of a body: a JSON number, or text for callers whose numbers would lose digits.
import { plainDecimal } from '../../lib/decimals.ts';
import type { Fault } from '../../lib/errors.ts';
import { parseExactJson, valueAt } from '../../lib/exact-json.ts';
import type { Given } from './body.ts';

/** The digits that every JSON writer keeps. */
const MAX_NUMBER_DIGITS = 15;

/** The decimal's text; null when it is present but invalid, undefined when it is absent. */
type DecimalReading = { readonly text: string | null | undefined; readonly faults: readonly Fault[] };

/**
 * Reads a top-level field of a body as it was written, without floats. `clean`: what passed the schema. Refuses a number with more digits
 * than a float has: the JSON writer of the caller may already have lost some.
 */
export function readDecimal<Name extends string>(
  { body, bodyText = '{}' }: Given,
  clean: { readonly [name in Name]?: number | string },
  name: Name,
): DecimalReading {
  const value = clean[name];
  if (value === undefined) return { text: valueAt(body, [name]) === undefined ? undefined : null, faults: [] };
  if (typeof value === 'string') return { text: value, faults: [] };
  const written = valueAt(parseExactJson(bodyText), [name]);
  const source = typeof written === 'string' ? written : String(value);
  if (significantDigits(source) > MAX_NUMBER_DIGITS) {
    const message = `has more than ${MAX_NUMBER_DIGITS} digits, which a number may lose: give it as text`;
    return { text: null, faults: [{ path: name, code: 'too_precise', message }] };
  }
  const sign = source.startsWith('-') ? '-' : '';
  const unsigned = source.slice(sign.length);
  return { text: sign + (plainDecimal(unsigned) ?? unsigned), faults: [] };
}

function significantDigits(source: string): number {
  const digits = source.replace(/[eE].*$/, '').replace(/[-.]/g, '');
  return digits.replace(/^0+/, '').replace(/0+$/, '').length;
}
