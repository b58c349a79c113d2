// HTML as text that knows it is HTML: what is put into a template is escaped unless it came from a template itself.

const MARKUP = Symbol('markup');

/** Only the functions below make it, so plain text is never taken for markup. */
export type Html = { readonly [MARKUP]: string };

/** Nothing is written for undefined, null and false, so that `condition && html…` leaves no trace. */
export type Piece = Html | string | number | bigint | false | null | undefined | readonly Piece[];

/**
 * A template whose values are escaped. Attributes must be quoted: a space would end an unquoted one.
 *
 * @example
 * html`<p title="${name}">${isPaid && html`<strong>${amount}</strong>`}</p>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Html {
  let text = strings[0] ?? '';
  for (const [index, value] of values.entries()) text += written(value) + strings[index + 1];
  return trusted(text);
}

export function markupOf(piece: Html): string {
  return piece[MARKUP];
}

/** Takes text for markup as it is, such as an SVG that this service drew. Never for what came from outside. */
export function trusted(markup: string): Html {
  return { [MARKUP]: markup };
}

/** Attributes by their names; undefined and false leave one out, true writes its name alone. */
export function attributes(values: Readonly<Record<string, string | number | boolean | undefined>>): Html {
  const parts = Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === false) return '';
    return value === true ? ` ${name}` : ` ${name}="${escapeHtml(String(value))}"`;
  });
  return trusted(parts.join(''));
}

function written(value: Piece): string {
  if (value === undefined || value === null || value === false) return '';
  if (typeof value !== 'object') return escapeHtml(String(value));
  return MARKUP in value ? value[MARKUP] : value.map(written).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? character);
}
