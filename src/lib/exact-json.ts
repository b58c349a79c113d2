// JSON whose numbers stay what was written: "1.10000000000000000001" has no float that holds it.

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/** Reads JSON with every number as its own text. Throws what JSON.parse throws. */
export function parseExactJson(text: string): unknown {
  return parse(text, (_key, value, { source }) => (typeof value === 'number' ? source : value));
}

// The language hands over the source text; the compiler's library does not name it yet.
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** The way to a value inside JSON, such as `data.rates.0.amount` or `result[0].price`. */
export type JsonPath = readonly string[];

const MAX_STEPS = 20;

/** Undefined when it is no path. */
export function parseJsonPath(text: string): JsonPath | undefined {
  if (!/^[^.[\]]+(?:\.[^.[\]]+|\[\d+\])*$/.test(text)) return undefined;
  const steps = text.split(/[.[\]]+/).filter(step => step !== '');
  return steps.length <= MAX_STEPS ? steps : undefined;
}

/** What lies at the end of the path; undefined when the way breaks off. */
export function valueAt(value: unknown, path: JsonPath): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Record<string, unknown>)[step];
  }
  return here;
}
