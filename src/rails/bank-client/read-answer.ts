// Reads answers of a PSP leniently: numbers or text, nulls anywhere, problem+json, its own shapes, or an HTML page from a gateway in front
// of it.
import { parseUnits, plainDecimal } from '../../lib/decimals.ts';
import { parseExactJson, parseJsonPath, valueAt } from '../../lib/exact-json.ts';
import type { ErrorShape } from './profile.ts';

const MAX_TEXT_LENGTH = 300;
const MAX_ITEMS = 10;
const ID = /^[\x21-\x7e]{1,255}$/;

/** JSON with every number as its text; undefined when it is not JSON. */
export function readJson(text: string): unknown {
  try {
    // A byte order mark is not part of JSON.
    return parseExactJson(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** The text at a path; undefined when it is missing or empty. Numbers are text already. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, parseJsonPath(path) ?? []);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** As `textAt`, for what people read: short, storable, on one line, and without the digits of a document. */
export function readableAt(value: unknown, path: string): string | undefined {
  return bounded(textAt(value, path) ?? '') || undefined;
}

/** An id as banks write them: letters, digits and signs of ASCII. Anything else is not an id. */
export function idAt(value: unknown, path: string): string | undefined {
  const text = textAt(value, path);
  return text !== undefined && ID.test(text) ? text : undefined;
}

export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = valueAt(value, parseJsonPath(path) ?? []);
  return Array.isArray(found) ? found : [];
}

/** Exact cents of an amount in reais, from text or from a number; undefined when it is not an amount. */
export function centsAt(value: unknown, path: string): bigint | undefined {
  const plain = plainDecimal(textAt(value, path)?.trim() ?? '');
  return plain === undefined ? undefined : parseUnits(plain, 2);
}

export type PspError = { readonly code?: string; readonly message: string };

/** The PSP's explanation of a refusal, by the first shape that fits; undefined when it says nothing readable. */
export function readError(body: unknown, shapes: readonly ErrorShape[]): PspError | undefined {
  for (const shape of shapes) {
    const code = textAt(body, shape.code)?.split('/').at(-1);
    const items = itemsOf(body, shape);
    const message = [...shape.messages.flatMap(path => textAt(body, path) ?? []), ...items].join(' ');
    if (code === undefined && message === '') continue;
    return { ...(code !== undefined && { code: bounded(code) }), message: bounded(message) };
  }
  return undefined;
}

function itemsOf(body: unknown, { items }: ErrorShape): string[] {
  if (!items) return [];
  // Items may include the rejected value; it is omitted, since it may be a person's document.
  return listAt(body, items.at)
    .slice(0, MAX_ITEMS)
    .map(item => [textAt(item, items.code), textAt(item, items.message)].filter(Boolean).join(': '))
    .filter(text => text !== '')
    .map(text => `(${text})`);
}

/** Short, storable, on one line, and without the digits of a document that the PSP may quote. */
function bounded(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\d[\d.\-/]{9,}\d/g, '…');
  return Array.from(plain).slice(0, MAX_TEXT_LENGTH).join('').trim();
}

/** The reason of a refusal on one line: the PSP's code and its text. */
export function reasonOf({ code, message }: PspError): string {
  return [code, message].filter(Boolean).join(': ') || 'The PSP gave no reason.';
}
