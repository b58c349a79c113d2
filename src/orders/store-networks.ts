// The SQL of networks that still have open work.
import type { Network } from '../chains/asset.ts';
import type { Sql } from '../storage/database.ts';

/** The networks that have payouts to look up or orders in line. */
export async function networksInUse(sql: Sql, networks: readonly Network[]): Promise<Network[]> {
  const rows = await sql.query<{ network: Network }>(
    `select network from unnest($1::text[]) as asked (network)
      where exists (select from payouts p where p.network = asked.network and p.state in ('open', 'done'))
         or exists (select from orders o where o.network = asked.network and o.waits_since is not null)`,
    [networks],
  );
  return rows.map(({ network }) => network);
}
