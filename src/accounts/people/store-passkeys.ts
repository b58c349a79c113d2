// The SQL of passkeys and of the challenges that they sign.
import type { Row, Sql } from '../../storage/database.ts';

export type Passkey = {
  /** The credential id, base64url. */
  readonly id: string;
  readonly personId: string;
  readonly publicKey: Buffer;
  readonly signCount: number;
  readonly transports: readonly string[];
  readonly createdAt: Date;
  readonly lastUsedAt?: Date;
};

export type Purpose = 'register' | 'login' | 'confirm';

type PasskeyRow = Row & {
  id: string;
  person_id: string;
  public_key: Buffer;
  sign_count: string;
  transports: string[];
  created_at: Date;
  last_used_at: Date | null;
};

const COLUMNS = 'id, person_id, public_key, sign_count, transports, created_at, last_used_at';

function toPasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    personId: row.person_id,
    publicKey: row.public_key,
    signCount: Number(row.sign_count),
    transports: row.transports,
    createdAt: row.created_at,
    ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
  };
}

/** Returns false when the credential is already known. */
export async function insertPasskey(tx: Sql, passkey: Passkey): Promise<boolean> {
  const rows = await tx.query(
    `insert into passkeys (id, person_id, public_key, sign_count, transports, created_at)
     values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing returning id`,
    [passkey.id, passkey.personId, passkey.publicKey, passkey.signCount, passkey.transports, passkey.createdAt],
  );
  return rows.length > 0;
}

export async function findPasskey(sql: Sql, id: string): Promise<Passkey | undefined> {
  const [row] = await sql.query<PasskeyRow>(`select ${COLUMNS} from passkeys where id = $1`, [id]);
  return row && toPasskey(row);
}

export async function listPasskeys(sql: Sql, personId: string): Promise<Passkey[]> {
  const rows = await sql.query<PasskeyRow>(
    `select ${COLUMNS} from passkeys where person_id = $1 order by created_at, id`,
    [personId],
  );
  return rows.map(toPasskey);
}

export async function markPasskeyUsed(tx: Sql, id: string, signCount: number, at: Date): Promise<void> {
  await tx.query('update passkeys set sign_count = $2, last_used_at = $3 where id = $1', [id, signCount, at]);
}

/** Returns false when the person has no such passkey. */
export async function deletePasskey(tx: Sql, id: string, personId: string): Promise<boolean> {
  const rows = await tx.query('delete from passkeys where id = $1 and person_id = $2 returning id', [id, personId]);
  return rows.length > 0;
}

type Challenge = {
  readonly hash: Buffer;
  readonly purpose: Purpose;
  readonly personId?: string;
  readonly expiresAt: Date;
};

export async function insertChallenge(sql: Sql, { hash, purpose, personId, expiresAt }: Challenge, now: Date) {
  await sql.query('delete from passkey_challenges where expires_at <= $1', [now]);
  await sql.query(
    'insert into passkey_challenges (challenge_hash, purpose, person_id, expires_at) values ($1, $2, $3, $4)',
    [hash, purpose, personId ?? null, expiresAt],
  );
}

/** Uses up a challenge. Returns false when it was used, is too old, or has another purpose. */
export async function takeChallenge(
  sql: Sql,
  { hash, purpose, personId }: Omit<Challenge, 'expiresAt'>,
  now: Date,
): Promise<boolean> {
  const rows = await sql.query(
    `delete from passkey_challenges
      where challenge_hash = $1 and purpose = $2 and person_id is not distinct from $3::uuid and expires_at > $4
      returning purpose`,
    [hash, purpose, personId ?? null, now],
  );
  return rows.length > 0;
}
