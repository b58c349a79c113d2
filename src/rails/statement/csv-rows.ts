// Reads rows of a CSV file: one separator, quoted fields with doubled quotes and line breaks. A broken row affects no
// other.

/** Longer than any real row; it limits the search for a closing quote. */
const MAX_ROW_LENGTH = 20_000;
/** More columns than any bank exports. */
const MAX_COLUMNS = 200;

export const SEPARATORS = [';', '\t', ','] as const;
export type Separator = (typeof SEPARATORS)[number];

/** A row and the offset of the next one; `broken` is the reason why a row has no fields. */
type Row = { readonly fields: readonly string[]; readonly broken?: string; readonly next: number };

/**
 * Reads the row at an offset. Line breaks must be line feeds. After a broken row the next physical line is tried, so that
 * an unclosed quote does not consume the rest of the file.
 */
export function rowAt(text: string, start: number, separator: Separator): Row {
  const window = text.slice(start, start + MAX_ROW_LENGTH);
  const cut = start + MAX_ROW_LENGTH < text.length;
  const broken = (reason: string): Row => ({ fields: [], broken: reason, next: nextLine(text, start) });
  const fields: string[] = [];
  let at = 0;
  while (fields.length < MAX_COLUMNS) {
    const field = fieldAt(window, at, separator);
    if (typeof field === 'string') return broken(field);
    fields.push(field.value);
    at = field.end;
    if (at >= window.length) {
      return cut ? broken(`The row is longer than ${MAX_ROW_LENGTH} characters.`) : { fields, next: text.length };
    }
    at++;
    if (window[at - 1] === '\n') return { fields, next: start + at };
  }
  return broken(`The row has more than ${MAX_COLUMNS} columns.`);
}

type Field = { readonly value: string; readonly end: number };

/** A field and the offset of the separator or line break after it; or, as text, why it cannot be read. */
function fieldAt(window: string, start: number, separator: Separator): Field | string {
  let at = start;
  while (window[at] === ' ') at++;
  if (window[at] !== '"') {
    const end = endOf(window, start, separator);
    return { value: window.slice(start, end), end };
  }
  let value = '';
  let from = at + 1;
  for (;;) {
    const quote = window.indexOf('"', from);
    if (quote === -1) return 'A quote is never closed.';
    value += window.slice(from, quote);
    from = quote + 2;
    if (window[quote + 1] !== '"') {
      const end = endOf(window, quote + 1, separator);
      if (window.slice(quote + 1, end).trim() !== '') return 'Text follows a closing quote.';
      return { value, end };
    }
    value += '"';
  }
}

function endOf(window: string, start: number, separator: Separator): number {
  let end = start;
  while (end < window.length && window[end] !== separator && window[end] !== '\n') end++;
  return end;
}

function nextLine(text: string, start: number): number {
  const newline = text.indexOf('\n', start);
  return newline === -1 ? text.length : newline + 1;
}
