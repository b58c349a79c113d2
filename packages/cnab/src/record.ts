// A record of a CNAB file as a table of fields. Columns count from 1 and both ends belong to the field, as in the manuals.
import assert from 'node:assert/strict';
import type { Kind, ReadValue } from './kinds.ts';

export const WIDTH = 240;

/** One row of a table. `Source` is what the records of its kind are written from; records that are only read have no source. */
type Field<Source = never, V = unknown> = {
  /** Its name in the manuals of the banks. */
  readonly label: string;
  readonly from: number;
  readonly to: number;
  readonly kind: Kind<V>;
  readonly source?: (from: Source) => V | undefined;
};

/** A field of any value, for tables of mixed fields. */
// biome-ignore lint/suspicious/noExplicitAny: a table holds fields of many kinds; `field` has checked that source and kind fit
export type AnyField<Source = never> = Field<Source, any>;

export type Table<Source = never> = { readonly [key: string]: AnyField<Source> };

/** Makes rows whose value comes from a `Source`: a constant or a function of it. Without either the kind fills the field. */
export function fieldsFrom<Source>() {
  return <V>(
    label: string,
    from: number,
    to: number,
    kind: Kind<V>,
    source?: ((from: Source) => V | undefined) | (V & (string | number)),
  ): Field<Source, V> => ({
    ...{ label, from, to, kind },
    ...(source !== undefined && { source: typeof source === 'function' ? source : () => source }),
  });
}

/** A row of a record that is only read. */
export function readField<V>(label: string, from: number, to: number, kind: Kind<V>): Field<never, V> {
  return { label, from, to, kind };
}

/** The table without some fields, so that others can use their columns. */
export function without<T extends Table<never>, K extends keyof T & string>(
  table: T,
  ...keys: readonly K[]
): Omit<T, K> {
  const rest: Partial<T> = { ...table };
  for (const key of keys) delete rest[key];
  return rest as Omit<T, K>;
}

/** The rows in the order of their columns. Asserts that they cover 240 columns once. */
export function rowsOf<Source>(table: Table<Source>): readonly (readonly [key: string, field: AnyField<Source>])[] {
  const rows = Object.entries(table).sort(([, a], [, b]) => a.from - b.from);
  let next = 1;
  for (const [key, { from, to }] of rows) {
    assert(from === next && to >= from, `${key} covers ${from} to ${to}, and column ${next} is the next`);
    next = to + 1;
  }
  assert.equal(next, WIDTH + 1, 'the rows end at column 240');
  return rows;
}

export function widthOf({ from, to }: AnyField): number {
  return to - from + 1;
}

export function textOf<V>({ from, to }: Field<never, V>, line: string): string {
  return line.slice(from - 1, to);
}

export function readValue<V>(field: Field<never, V>, line: string): ReadValue<V> {
  return field.kind.read(textOf(field, line));
}

/** The value of a field; undefined when it is empty or cannot be read. */
export function fieldValue<V>(field: Field<never, V>, line: string): V | undefined {
  return readValue(field, line).value;
}
