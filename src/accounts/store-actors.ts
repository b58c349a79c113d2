// The SQL of the names behind the actors of the audit log.
import type { Sql } from '../storage/database.ts';

/** The names of people and keys by their actors, such as `person:…`, including removed and revoked ones. */
export async function readActorNames(sql: Sql, actors: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ actor: string; name: string }>(
    `select 'person:' || id as actor, name from people where 'person:' || id = any($1)
     union all select 'key:' || id, name from api_keys where 'key:' || id = any($1) and name is not null`,
    [[...new Set(actors)]],
  );
  return new Map(rows.map(({ actor, name }) => [actor, name]));
}
