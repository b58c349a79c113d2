// The SQL of sessions.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Proof, Session } from './person.ts';
import { PERSON_COLUMNS, type PersonRow, toPerson } from './store-people.ts';

type NewSession = {
  readonly tokenHash: Buffer;
  readonly personId: string;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly provenBy: Proof;
};

export async function insertSession(tx: Sql, session: NewSession): Promise<void> {
  // Expired sessions are deleted, so that the table does not grow.
  await tx.query('delete from sessions where expires_at <= $1', [session.at]);
  await tx.query(
    `insert into sessions (token_hash, person_id, created_at, last_used_at, expires_at, proven_at, proven_by)
     values ($1, $2, $3, $3, $4, $3, $5) on conflict (token_hash) do nothing`,
    [session.tokenHash, session.personId, session.at, session.expiresAt, session.provenBy],
  );
}

type Own = Omit<Session, 'person' | 'createdAt'>;
const toOwn = recordOf<Own>('token_hash, last_used_at, expires_at, proven_at, proven_by, has_passkey, has_news');

/** The session of a person who may still log in, even an expired one. */
export async function findSession(sql: Sql, tokenHash: Buffer): Promise<Session | undefined> {
  const [row] = await sql.query<PersonRow & RowOf<Own> & { session_created_at: Date }>(
    `select ${PERSON_COLUMNS}, s.token_hash, s.created_at as session_created_at, s.last_used_at, s.expires_at, s.proven_at,
            s.proven_by, exists (select from passkeys k where k.person_id = p.id) as has_passkey,
            exists (
              select from person_notices n
               where n.person_id = p.id and n.at > coalesce(s.notices_seen_at, s.created_at - interval '7 days')
            ) as has_news
       from sessions s join people p on p.id = s.person_id
      where s.token_hash = $1 and p.removed_at is null`,
    [tokenHash],
    { name: 'find_session' },
  );
  return row && { ...toOwn(row), person: toPerson(row), createdAt: row.session_created_at };
}

export async function markSessionUsed(sql: Sql, tokenHash: Buffer, at: Date): Promise<void> {
  await sql.query('update sessions set last_used_at = $2 where token_hash = $1 and last_used_at < $2', [tokenHash, at]);
}

export async function markProven(tx: Sql, tokenHash: Buffer, at: Date, by: Proof): Promise<void> {
  await tx.query('update sessions set proven_at = $2, proven_by = $3 where token_hash = $1', [tokenHash, at, by]);
}

export async function deleteSession(tx: Sql, tokenHash: Buffer): Promise<void> {
  await tx.query('delete from sessions where token_hash = $1', [tokenHash]);
}

/** Everyone has to log in again. Returns how many of each ended. */
export async function endAllLogins(tx: Sql): Promise<{ sessions: number; links: number; challenges: number }> {
  await tx.query('delete from link_requests');
  const ended = async (table: string) => (await tx.query(`delete from ${table} returning person_id`)).length;
  return {
    sessions: await ended('sessions'),
    links: await ended('person_links'),
    challenges: await ended('passkey_challenges'),
  };
}

export type ListedSession = Pick<Session, 'createdAt' | 'lastUsedAt' | 'provenBy'> & { readonly id: string };

/** The valid sessions of one person, newest first. The id is the hash, which lets no one in. */
export async function listSessions(sql: Sql, personId: string, now: Date, usedSince: Date): Promise<ListedSession[]> {
  const rows = await sql.query<RowOf<ListedSession>>(
    `select encode(token_hash, 'hex') as id, created_at, last_used_at, proven_by from sessions
      where person_id = $1 and expires_at > $2 and last_used_at > $3 order by created_at desc, token_hash`,
    [personId, now, usedSince],
  );
  return rows.map(toListed);
}

const toListed = recordOf<ListedSession>('id, created_at, last_used_at, proven_by');

/** Ends one other session of the person, or all others when no session is given. */
export async function deleteOtherSessions(tx: Sql, { person, tokenHash }: Session, id?: string): Promise<void> {
  await tx.query(
    `delete from sessions
      where person_id = $1 and token_hash <> $2 and ($3::text is null or encode(token_hash, 'hex') = $3)`,
    [person.id, tokenHash, id ?? null],
  );
}
