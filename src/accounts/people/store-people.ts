// The SQL of people, of their login links and recovery codes.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Role } from '../roles.ts';
import type { Person } from './person.ts';
import type { LinkRequest } from './store-link-requests.ts';

export const PERSON_COLUMNS = 'p.id, p.name, p.role, p.account_id, p.created_at, p.removed_at';
export type PersonRow = RowOf<Person>;
export const toPerson = recordOf<Person>(PERSON_COLUMNS);

/** Inserts the person, unless they exist: then a retry has inserted them before. */
export async function insertPerson(tx: Sql, person: Person, invitedBy: string): Promise<void> {
  await tx.query(
    `insert into people (id, name, role, account_id, created_at, invited_by) values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do nothing`,
    [person.id, person.name, person.role, person.accountId ?? null, person.createdAt, invitedBy],
  );
}

/** A person who may still log in; only of one account, if given. */
export async function findPerson(sql: Sql, id: string, accountId?: string): Promise<Person | undefined> {
  const [row] = await sql.query<PersonRow>(
    `select ${PERSON_COLUMNS} from people p
      where p.id = $1 and p.removed_at is null and ($2::text is null or p.account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toPerson(row);
}

export type ListedPerson = Person & {
  /** The actor, as in the audit log. */
  readonly invitedBy: string;
  /** Who made or asked for the login links that they used. */
  readonly letInBy: readonly string[];
  /** Present while a login link waits for the approval of a second owner. */
  readonly linkRequest?: LinkRequest;
  readonly passkeys: number;
  readonly recoveryCodes: number;
  readonly lastUsedAt?: Date;
  /** Present while a login link is open. */
  readonly linkExpiresAt?: Date;
};

/** Everybody who may log in, or those of one account, oldest first. */
export async function listPeople(sql: Sql, now: Date, accountId?: string): Promise<ListedPerson[]> {
  const rows = await sql.query<
    PersonRow & {
      invited_by: string;
      let_in_by: string[];
      passkeys: number;
      recovery_codes: number;
      last_used_at: Date | null;
      link_expires_at: Date | null;
      asked_by: string | null;
      asked_at: Date;
      request_expires_at: Date;
    }
  >(
    `select ${PERSON_COLUMNS}, p.invited_by, p.let_in_by, r.asked_by, r.asked_at, r.expires_at as request_expires_at,
            (select count(*)::int from passkeys k where k.person_id = p.id) as passkeys,
            (select count(*)::int from recovery_codes c where c.person_id = p.id and c.used_at is null) as recovery_codes,
            (select max(s.last_used_at) from sessions s where s.person_id = p.id) as last_used_at,
            (select l.expires_at from person_links l where l.person_id = p.id and l.expires_at > $1) as link_expires_at
       from people p
       left join link_requests r on r.person_id = p.id and r.expires_at > $1
      where p.removed_at is null and ($2::text is null or p.account_id = $2)
      order by p.created_at, p.id`,
    [now, accountId ?? null],
  );
  return rows.map(row => ({
    ...toPerson(row),
    invitedBy: row.invited_by,
    letInBy: row.let_in_by,
    passkeys: row.passkeys,
    recoveryCodes: row.recovery_codes,
    ...(row.last_used_at && { lastUsedAt: row.last_used_at }),
    ...(row.link_expires_at && { linkExpiresAt: row.link_expires_at }),
    ...(row.asked_by !== null && {
      linkRequest: {
        personId: row.id,
        askedBy: row.asked_by,
        askedAt: row.asked_at,
        expiresAt: row.request_expires_at,
      },
    }),
  }));
}

/** People who may log in and were invited or given a link by one of these actors, oldest first. */
export async function listPeopleOf(sql: Sql, actors: readonly string[]): Promise<Person[]> {
  const rows = await sql.query<PersonRow>(
    `select ${PERSON_COLUMNS} from people p
      where p.removed_at is null and (p.invited_by = any($1) or p.let_in_by && $1) order by p.created_at, p.id`,
    [actors],
  );
  return rows.map(toPerson);
}

export async function hasPeople(sql: Sql): Promise<boolean> {
  const rows = await sql.query('select from people where removed_at is null limit 1');
  return rows.length > 0;
}

/** Owners of all accounts who may log in: the last of them is not removed. */
export async function lockOwners(tx: Sql): Promise<readonly string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from people where role = 'owner' and account_id is null and removed_at is null order by id for update`,
  );
  return rows.map(({ id }) => id);
}

/** Takes away every way in: the person, their sessions, passkeys, links and codes. */
export async function removePersonRows(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.query('update people set removed_at = coalesce(removed_at, $2) where id = $1', [id, at]);
  await tx.query(`delete from link_requests where asked_by = 'person:' || $1::uuid`, [id]);
  for (const table of [
    'sessions',
    'passkeys',
    'passkey_challenges',
    'person_links',
    'link_requests',
    'recovery_codes',
    'person_notices',
  ]) {
    await tx.query(`delete from ${table} where person_id = $1`, [id]);
  }
}

/** A new link of a person replaces the previous one. */
export async function putLink(
  tx: Sql,
  link: {
    readonly personId: string;
    readonly tokenHash: Buffer;
    readonly expiresAt: Date;
    readonly madeBy: string;
    /** Where a second owner has made it. */
    readonly askedBy?: string | undefined;
  },
): Promise<void> {
  await tx.query(
    `insert into person_links (person_id, token_hash, expires_at, made_by, asked_by) values ($1, $2, $3, $4, $5)
     on conflict (person_id) do update
       set token_hash = excluded.token_hash, expires_at = excluded.expires_at, made_by = excluded.made_by,
           asked_by = excluded.asked_by`,
    [link.personId, link.tokenHash, link.expiresAt, link.madeBy, link.askedBy ?? null],
  );
}

export async function setRole(tx: Sql, id: string, role: Role): Promise<void> {
  await tx.query('update people set role = $2 where id = $1', [id, role]);
}

/** The person of a valid link. */
export async function findLink(sql: Sql, tokenHash: Buffer, now: Date): Promise<Person | undefined> {
  const [row] = await sql.query<PersonRow>(
    `select ${PERSON_COLUMNS} from person_links l join people p on p.id = l.person_id
      where l.token_hash = $1 and l.expires_at > $2 and p.removed_at is null`,
    [tokenHash, now],
  );
  return row && toPerson(row);
}

/** Uses up a link, and records on the person who made it and who asked for it. Of several at once, one gets the person. */
export async function takeLink(tx: Sql, tokenHash: Buffer, now: Date): Promise<Person | undefined> {
  const [row] = await tx.query<PersonRow>(
    `with taken as (delete from person_links where token_hash = $1 and expires_at > $2 returning person_id, made_by, asked_by)
     update people p
        set let_in_by = p.let_in_by || array(
              select distinct by from unnest(array[taken.asked_by, taken.made_by]) as by
               where by is not null and by <> 'person:' || p.id and by <> all(p.let_in_by)
               order by by
            )
       from taken
      where p.id = taken.person_id and p.removed_at is null
     returning ${PERSON_COLUMNS}`,
    [tokenHash, now],
  );
  return row && toPerson(row);
}

/** New codes replace all earlier ones. */
export async function putRecoveryCodes(tx: Sql, personId: string, hashes: readonly Buffer[]): Promise<void> {
  await tx.query('delete from recovery_codes where person_id = $1', [personId]);
  await tx.query('insert into recovery_codes (code_hash, person_id) select hash, $1 from unnest($2::bytea[]) as hash', [
    personId,
    hashes,
  ]);
}

/** Uses up a recovery code. Of several at once, one gets the person. */
export async function takeRecoveryCode(tx: Sql, codeHash: Buffer, now: Date): Promise<Person | undefined> {
  const [row] = await tx.query<PersonRow>(
    `with taken as (update recovery_codes set used_at = $2 where code_hash = $1 and used_at is null returning person_id)
     select ${PERSON_COLUMNS} from taken join people p on p.id = taken.person_id where p.removed_at is null`,
    [codeHash, now],
  );
  return row && toPerson(row);
}

export async function countRecoveryCodes(sql: Sql, personId: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'select count(*)::int as count from recovery_codes where person_id = $1 and used_at is null',
    [personId],
  );
  return row?.count ?? 0;
}
