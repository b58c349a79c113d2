// Maps rows to records: the column `created_at` is the field `createdAt`, and null fields are absent.

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

type ColumnValue<V> = V extends bigint ? string : V;

/** The row of a record as the driver gives it: a bigint is text. */
export type RowOf<T> = {
  [Field in keyof T & string as Snake<Field>]-?: Record<never, never> extends Pick<T, Field>
    ? ColumnValue<Exclude<T[Field], undefined>> | null
    : ColumnValue<T[Field]>;
};

/**
 * Reads rows into records. `columns` are names as in the statement; no other column of a row gets into a record.
 *
 * @example
 * const COLUMNS = 'id, account_id, expires_at';
 * const toKey = recordOf<ApiKey>(COLUMNS);
 * const rows = await sql.query<RowOf<ApiKey>>(`select ${COLUMNS} from api_keys`);
 * return rows.map(toKey);
 */
export function recordOf<T>(columns: string, bigints: readonly (keyof T & string)[] = []): (row: RowOf<T>) => T {
  const known = columns.split(',').map(name => {
    // Without the name of its table, or under its other name.
    const column = name.trim().replace(/^(.* as |\w+\.)/, '');
    const field = column.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    return { column, field, isBigint: (bigints as readonly string[]).includes(field) };
  });
  return row => {
    const values = row as Readonly<Record<string, unknown>>;
    const record: Record<string, unknown> = {};
    for (const { column, field, isBigint } of known) {
      const value = values[column] ?? undefined;
      if (value !== undefined) record[field] = isBigint ? BigInt(value as string) : value;
    }
    return record as T;
  };
}
