// Lists as the database reads them. The driver can write them too, but quotes and looks at every letter of every element, which
// was a tenth of the service's own work under load.
// https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO

/** The value, or a list as the text of an array. What no list of ours holds is left to the driver. */
export function asParameter(value: unknown): unknown {
  return Array.isArray(value) ? arrayLiteral(value) : value;
}

/** What needs no quotes, unless it reads as the word for nothing. */
const PLAIN = /^[\w.:+-]+$/;
const NOTHING = /^null$/i;

function arrayLiteral(list: readonly unknown[]): unknown {
  let text = '';
  for (let index = 0; index < list.length; index++) {
    const written = elementLiteral(list[index]);
    if (written === undefined) return list;
    text += index === 0 ? written : `,${written}`;
  }
  return `{${text}}`;
}

function elementLiteral(element: unknown): string | undefined {
  if (element === null || element === undefined) return 'NULL';
  if (typeof element === 'string') return PLAIN.test(element) && !NOTHING.test(element) ? element : quoted(element);
  if (typeof element === 'number' || typeof element === 'bigint' || typeof element === 'boolean')
    return String(element);
  if (Buffer.isBuffer(element)) return `"\\\\x${element.toString('hex')}"`;
  return element instanceof Date ? momentLiteral(element) : undefined;
}

function quoted(text: string): string {
  return `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`;
}

/** Those of one batch share their moments: each is written out once. */
const writtenMoments = new Map<number, string>();
const MOST_MOMENTS = 1_000;

/** In other years a moment is written otherwise by the two. */
function momentLiteral(moment: Date): string | undefined {
  const time = moment.getTime();
  const known = writtenMoments.get(time);
  if (known !== undefined) return known;
  const year = moment.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) return undefined;
  if (writtenMoments.size >= MOST_MOMENTS) writtenMoments.clear();
  const text = moment.toISOString();
  writtenMoments.set(time, text);
  return text;
}
