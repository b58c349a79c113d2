// Reads JSON with exact numbers: no float can hold 1.10000000000000000001.

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Reads JSON with every number as its source text. Throws what JSON.parse throws. */
export function parseExactJson(text: string): unknown {
  return parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

/** The same JSON over several lines, every number digit for digit. Throws what JSON.parse throws. */
export function indentJson(text: string): string {
  const value = parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? rawJson(source) : value,
  );
  return JSON.stringify(value, undefined, 2);
}

// JavaScript passes the source text to the reviver; the type library does not declare it yet.
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (source: string) => unknown };

/** A path to a value inside JSON, such as `data.rates.0.amount` or `result[0].price`. */
type JsonPath = readonly string[];

const MAX_STEPS = 20;

/** Undefined when the text is not a path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/.test(text)) return undefined;
  const steps = text.split(/[.[\]]+/).filter(step => step !== '');
  return steps.length <= MAX_STEPS ? steps : undefined;
}

/** The value at the path; undefined when it is missing. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string, unknown>)[step];
  }
  return current;
}
