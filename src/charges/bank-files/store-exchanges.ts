// The SQL of exchanges with the SFTP servers of banks: when they are due, and which files were fetched.
import type { RemoteFile } from '../../rails/file-server.ts';
import type { Sql } from '../../storage/database.ts';

/** Whether an exchange with the server of an agreement is due, and when the last one was. */
export async function findDueExchange(
  sql: Sql,
  rail: string,
  now: Date,
): Promise<{ readonly exchangedAt?: Date } | undefined> {
  const [row] = await sql.query<{ exchanged_at: Date | null }>(
    `select exchanged_at from boleto_agreements
      where rail = $1 and (next_exchange_at is null or next_exchange_at <= $2)`,
    [rail, now],
  );
  return row && (row.exchanged_at ? { exchangedAt: row.exchanged_at } : {});
}

export async function endExchange(sql: Sql, rail: string, at: Date, next: Date): Promise<void> {
  await sql.query(
    'update boleto_agreements set next_exchange_at = $3, exchanged_at = $2, exchange_error = null where rail = $1',
    [rail, at, next],
  );
}

export async function failExchange(sql: Sql, rail: string, message: string, next: Date): Promise<void> {
  await sql.query('update boleto_agreements set next_exchange_at = $3, exchange_error = $2 where rail = $1', [
    rail,
    message,
    next,
  ]);
}

/** Those that were already fetched with the same size and time. A refused one counts only while the settings are the same. */
export async function findFetched(
  sql: Sql,
  rail: string,
  files: readonly RemoteFile[],
  settings: string,
): Promise<ReadonlySet<RemoteFile>> {
  const rows = await sql.query<{ name: string; bytes: string; modified_at: Date }>(
    `select name, bytes, modified_at from boleto_fetched_files
      where rail = $1 and name = any($2) and (refusal is null or settings = $3)`,
    [rail, files.map(({ name }) => name), settings],
  );
  const keyOf = (name: string, bytes: number | string, at: Date) => `${bytes} ${at.getTime()} ${name}`;
  const known = new Set(rows.map(row => keyOf(row.name, row.bytes, row.modified_at)));
  return new Set(files.filter(({ name, bytes, modifiedAt }) => known.has(keyOf(name, bytes, modifiedAt))));
}

export async function insertFetched(
  sql: Sql,
  rail: string,
  { name, bytes, modifiedAt }: RemoteFile,
  result: { readonly returnId: string } | { readonly refusal: string },
  at: Date,
  settings: string,
): Promise<void> {
  const [returnId, refusal] = 'returnId' in result ? [result.returnId, null] : [null, result.refusal];
  await sql.query(
    `insert into boleto_fetched_files (rail, name, bytes, modified_at, fetched_at, return_id, refusal, settings)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (rail, name, bytes, modified_at) do update
       set fetched_at = excluded.fetched_at, return_id = excluded.return_id, refusal = excluded.refusal, settings = excluded.settings
     where boleto_fetched_files.refusal is not null`,
    [rail, name, bytes, modifiedAt, at, returnId, refusal, settings],
  );
}
