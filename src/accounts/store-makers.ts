// The SQL of makers: who made a key, and who invited a person or gave them a link.
import type { Sql } from '../storage/database.ts';

/** The makers of an actor: itself, its makers, their makers, and so on. Empty for an operator and a sandbox. */
export async function listMakers(sql: Sql, actors: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ actor: string }>(
    // `union` names each once, so this ends.
    `with recursive makers (actor) as (
       select actor from unnest($1::text[]) as actor where actor like 'key:%' or actor like 'person:%'
       union
       select made.by
         from makers
         cross join lateral (
           select k.created_by as by from api_keys k where makers.actor like 'key:%' and k.id = substr(makers.actor, 5)
           union all
           select by from people p cross join lateral unnest(p.let_in_by || p.invited_by) as by
            where p.id = case when makers.actor like 'person:%' then substr(makers.actor, 8)::uuid end
         ) as made
        where made.by like 'key:%' or made.by like 'person:%'
     )
     select actor from makers`,
    [actors],
  );
  return new Set(rows.map(({ actor }) => actor));
}
