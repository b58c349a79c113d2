// HTML as a type of its own: values in a template are escaped unless they come from a template themselves.

const MARKUP = Symbol('markup');

/** Only the functions below create it, so plain text is never taken for markup. */
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

/** Marks text as markup, such as an SVG that this service drew. Never for input from outside. */
export function trusted(markup: string): Html {
  return { [MARKUP]: markup };
}

/** Attributes by their names; undefined and false omit one, true writes only its name. */
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
