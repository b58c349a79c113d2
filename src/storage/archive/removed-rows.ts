// The text of a file of removed rows: a first line that says what it holds, and a line for each row.
import { type Static, Type } from 'typebox';
import { checkSchema } from '../../config/check-schema.ts';
import { StartError } from '../../lib/errors.ts';
import { parseRow } from './block.ts';

const FORMAT = 'trilho-removed';

const Header = Type.Object(
  {
    format: Type.Literal(FORMAT),
    formatVersion: Type.Literal(1),
    kind: Type.String({ pattern: '^[a-z_]+$' }),
    rows: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);

export function formatRemovedRows(kind: string, rows: readonly string[]): string {
  const header: Static<typeof Header> = { format: FORMAT, formatVersion: 1, kind, rows: rows.length };
  return [JSON.stringify(header), ...rows, ''].join('\n');
}

/** What the file holds; undefined when it is of another format. Refuses one that is not what was written. */
export function parseRemovedRows(
  text: string,
  file: string,
): { readonly kind: string; readonly rows: number } | undefined {
  const [first = '', ...rows] = text.split('\n');
  const said = parseRow(first, file);
  if ((said as { format?: unknown } | null)?.format !== FORMAT) return undefined;
  const header = checkSchema(Header, said);
  if ('faults' in header) throw new StartError(`${file} is not a file of the archive.`);
  if (rows.pop() !== '' || rows.length !== header.value.rows) throw new StartError(`${file} lacks rows.`);
  for (const row of rows) parseRow(row, file);
  return header.value;
}
