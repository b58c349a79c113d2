// The SQL of login links that wait for the approval of a second owner.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';

export type LinkRequest = {
  readonly personId: string;
  /** The actor, as in the audit log. */
  readonly askedBy: string;
  readonly askedAt: Date;
  readonly expiresAt: Date;
};

const COLUMNS = 'person_id, asked_by, asked_at, expires_at';
const toRequest = recordOf<LinkRequest>(COLUMNS);

/** A new request for a person replaces the previous one. */
export async function putLinkRequest(tx: Sql, { personId, askedBy, askedAt, expiresAt }: LinkRequest): Promise<void> {
  await tx.query('delete from link_requests where expires_at <= $1', [askedAt]);
  await tx.query(
    `insert into link_requests (person_id, asked_by, asked_at, expires_at) values ($1, $2, $3, $4)
     on conflict (person_id) do update
       set asked_by = excluded.asked_by, asked_at = excluded.asked_at, expires_at = excluded.expires_at`,
    [personId, askedBy, askedAt, expiresAt],
  );
}

/** The open request for a person, locked until the transaction ends. */
export async function lockLinkRequest(tx: Sql, personId: string, now: Date): Promise<LinkRequest | undefined> {
  const [row] = await tx.query<RowOf<LinkRequest>>(
    `select ${COLUMNS} from link_requests
      where person_id = $1 and expires_at > $2 for update`,
    [personId, now],
  );
  return row && toRequest(row);
}

export async function deleteLinkRequest(tx: Sql, personId: string): Promise<void> {
  await tx.query('delete from link_requests where person_id = $1', [personId]);
}

/** Deletes the open requests of these actors, and the unused links that they made or asked for. */
export async function deleteLinksOf(tx: Sql, actors: readonly string[]): Promise<void> {
  await tx.query('delete from link_requests where asked_by = any($1)', [actors]);
  await tx.query('delete from person_links where made_by = any($1) or asked_by = any($1)', [actors]);
}

/** Other owners, apart from these two, who may act for the account of the person or for all, and have a passkey to approve with. */
export async function listOtherOwners(
  sql: Sql,
  {
    personId,
    accountId,
    by,
  }: { readonly personId: string; readonly accountId?: string | undefined; readonly by: string },
): Promise<readonly string[]> {
  const rows = await sql.query<{ actor: string }>(
    `select 'person:' || p.id as actor from people p
      where p.role = 'owner' and p.removed_at is null and (p.account_id is null or p.account_id = $2)
        and p.id <> $1 and 'person:' || p.id <> $3 and exists (select from passkeys k where k.person_id = p.id)
      order by p.id`,
    [personId, accountId ?? null, by],
  );
  return rows.map(({ actor }) => actor);
}
