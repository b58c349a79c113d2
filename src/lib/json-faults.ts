// Finds what JSON.parse does not report: where a text stops being JSON, and repeated keys in one object.

/** `repeatedKey`: the path of a repeated key; absent when the text is not JSON. */
type JsonFault = { readonly at: number; readonly repeatedKey?: readonly string[] };

/** What may come next. `first…`: also the end of the object or the list, which is empty then. */
type Expected = 'value' | 'firstValue' | 'key' | 'firstKey' | 'colon' | 'commaOrEnd' | 'end';

/** An object or a list that is open; `keys` is absent in a list. */
type Open = { readonly keys?: Set<string>; step: string; index: number };

const BLANKS = /[ \t\n\r]*/y;
const OTHER = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y;

/** The first fault of a text, with its offset. Undefined for JSON without repeated keys. */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: Open[] = [];
  let expected: Expected = 'value';
  let at = endOf(BLANKS, text, 0);
  while (at < text.length) {
    const inner = open.at(-1);
    const sign = text.charAt(at);
    let end = at + 1;
    if (expected === 'colon' && sign === ':') expected = 'value';
    else if (expected === 'commaOrEnd' && sign === ',') {
      expected = inner!.keys ? 'key' : 'value';
      inner!.index += 1;
    } else if (closes(sign, expected, inner)) {
      open.pop();
      expected = open.length === 0 ? 'end' : 'commaOrEnd';
    } else if (expected === 'key' || expected === 'firstKey') {
      end = endOfString(text, at);
      if (end === at) return { at };
      const key = JSON.parse(text.slice(at, end)) as string;
      inner!.step = key;
      if (inner!.keys!.has(key)) return { at, repeatedKey: open.map(stepOf) };
      inner!.keys!.add(key);
      expected = 'colon';
    } else if ((expected === 'value' || expected === 'firstValue') && (sign === '{' || sign === '[')) {
      open.push({ ...(sign === '{' && { keys: new Set<string>() }), step: '', index: 0 });
      expected = sign === '{' ? 'firstKey' : 'firstValue';
    } else if (expected === 'value' || expected === 'firstValue') {
      end = sign === '"' ? endOfString(text, at) : endOf(OTHER, text, at);
      if (end === at) return { at };
      expected = open.length === 0 ? 'end' : 'commaOrEnd';
    } else return { at };
    at = endOf(BLANKS, text, end);
  }
  return expected === 'end' ? undefined : { at };
}

function closes(sign: string, expected: Expected, inner: Open | undefined): boolean {
  if (!inner) return false;
  return inner.keys
    ? sign === '}' && (expected === 'firstKey' || expected === 'commaOrEnd')
    : sign === ']' && (expected === 'firstValue' || expected === 'commaOrEnd');
}

const stepOf = ({ keys, step, index }: Open) => (keys ? step : String(index));

/** Where the match ends that begins at the offset; the offset itself when there is no match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** A pattern would need a stack as deep as the text is long. */
function endOfString(text: string, at: number): number {
  if (text.charAt(at) !== '"') return at;
  let quote = text.indexOf('"', at + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote !== -1 && isJson(text.slice(at, quote + 1)) ? quote + 1 : at;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charAt(first - 1) === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** «line 3, column 14» of an offset, both from 1. */
export function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
}
