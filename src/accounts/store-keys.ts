// The SQL of API keys.
import type { Sql } from '../storage/database.ts';
import { type RowOf, recordOf } from '../storage/records.ts';
import type { Reach } from './reach.ts';
import type { Scope } from './scopes.ts';

export type ApiKey = {
  readonly id: string;
  readonly accountId: string;
  readonly name?: string;
  readonly scopes: readonly Scope[];
  readonly reach: Reach;
  readonly secretHash: Buffer;
  readonly createdAt: Date;
  /** The actor, as in the audit log; absent for keys from before this was recorded. */
  readonly createdBy?: string;
  /** It is refused from then on. */
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
  readonly lastUsedAt?: Date;
};

const COLUMNS =
  'id, account_id, name, scopes, reach, secret_hash, created_at, created_by, expires_at, revoked_at, last_used_at';
type KeyRow = RowOf<ApiKey>;
const toKey = recordOf<ApiKey>(COLUMNS);

/** Inserts the key, unless it exists: then a retry has inserted it before. */
export async function insertKey(tx: Sql, key: ApiKey): Promise<void> {
  await tx.query(
    `insert into api_keys (id, account_id, name, scopes, reach, secret_hash, created_at, created_by, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (id) do nothing`,
    [
      key.id,
      key.accountId,
      key.name ?? null,
      key.scopes,
      key.reach,
      key.secretHash,
      key.createdAt,
      key.createdBy ?? null,
      key.expiresAt ?? null,
    ],
  );
}

export async function findKey(sql: Sql, id: string): Promise<ApiKey | undefined> {
  const [row] = await sql.query<KeyRow>(`select ${COLUMNS} from api_keys where id = $1`, [id]);
  return row && toKey(row);
}

/** The key, locked against revocation until the transaction ends. */
export async function lockKey(tx: Sql, id: string): Promise<ApiKey | undefined> {
  const [row] = await tx.query<KeyRow>(`select ${COLUMNS} from api_keys where id = $1 for share`, [id]);
  return row && toKey(row);
}

/** The ids of all keys that are not revoked. */
export async function listKeyIds(sql: Sql): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ id: string }>('select id from api_keys where revoked_at is null');
  return new Set(rows.map(({ id }) => id));
}

/** Every key, or those of one account, oldest first. */
export async function listKeys(sql: Sql, accountId?: string): Promise<ApiKey[]> {
  const rows = await sql.query<KeyRow>(
    `select ${COLUMNS} from api_keys where $1::text is null or account_id = $1 order by created_at, id`,
    [accountId ?? null],
  );
  return rows.map(toKey);
}

/** Whether a valid key exists at this moment. */
export async function hasUsableKey(sql: Sql, at: Date): Promise<boolean> {
  const [row] = await sql.query<{ any: boolean }>(
    `select exists (
       select from api_keys where revoked_at is null and (expires_at is null or expires_at > $1)
     ) as any`,
    [at],
  );
  return row!.any;
}

/** Returns false when there is no such key. A key that was revoked before keeps its first `revokedAt`. */
export async function markRevoked(tx: Sql, id: string, at: Date): Promise<boolean> {
  const rows = await tx.query('update api_keys set revoked_at = coalesce(revoked_at, $2) where id = $1 returning id', [
    id,
    at,
  ]);
  return rows.length > 0;
}

/** Revokes the keys that these keys made; returns their ids. Already revoked ones keep their first `revokedAt`. */
export async function markRevokedOf(tx: Sql, makerIds: readonly string[], at: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update api_keys set revoked_at = coalesce(revoked_at, $2)
      where created_by like 'key:%' and created_by = any($1::text[]) returning id`,
    [makerIds.map(id => `key:${id}`), at],
  );
  return rows.map(({ id }) => id);
}

export async function markUsed(sql: Sql, id: string, at: Date): Promise<void> {
  await sql.query(
    'update api_keys set last_used_at = $2 where id = $1 and (last_used_at is null or last_used_at < $2)',
    [id, at],
  );
}
