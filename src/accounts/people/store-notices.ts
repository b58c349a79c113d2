// The SQL of notices: changes of a person's access, shown to the person.
import type { Row, Sql } from '../../storage/database.ts';

/** A new way in, or a change of what the person may do. */
export type NoticeKind = 'login_link' | 'passkey' | 'key' | 'role';
type Notice = { readonly at: Date; readonly what: NoticeKind; readonly by: string };

const KEPT_MS = 90 * 86_400_000;
const MAX_SHOWN = 50;

/** Adds a notice for each of these people, and removes their old ones. */
export async function insertNotices(tx: Sql, personIds: readonly string[], { at, what, by }: Notice): Promise<void> {
  const keptFrom = new Date(at.getTime() - KEPT_MS);
  await tx.query('delete from person_notices where person_id = any($1::uuid[]) and at < $2', [personIds, keptFrom]);
  await tx.query(
    'insert into person_notices (person_id, at, what, by_actor) select id, $2, $3, $4 from unnest($1::uuid[]) as id',
    [personIds, at, what, by],
  );
}

/** Newest first, each with the name of the person who did it. */
export async function listNotices(sql: Sql, personId: string): Promise<(Notice & { readonly name?: string })[]> {
  const rows = await sql.query<Row & { at: Date; what: NoticeKind; by_actor: string; name: string | null }>(
    `select n.at, n.what, n.by_actor, p.name
       from person_notices n
       left join people p on p.id = case when n.by_actor like 'person:%' then substr(n.by_actor, 8)::uuid end
      where n.person_id = $1 order by n.position desc limit $2`,
    [personId, MAX_SHOWN],
  );
  return rows.map(({ at, what, by_actor: by, name }) => ({ at, what, by, ...(name !== null && { name }) }));
}

export async function markNoticesSeen(sql: Sql, tokenHash: Buffer, at: Date): Promise<void> {
  await sql.query('update sessions set notices_seen_at = $2 where token_hash = $1', [tokenHash, at]);
}
