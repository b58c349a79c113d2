// The SQL of the checkout: one version for each charge with an open page, which changes with the page.
import type { Sql } from '../../storage/database.ts';

/**
 * A version changes with everything that the page shows: events of charge and order, statuses and codes of methods, and how
 * deep the transfer is.
 */
export async function readVersions(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ id: string; version: string }>(
    `select c.id,
            left(md5(concat_ws(' ', c.event_count, c.link_epoch, o.event_count, o.updated_at, p.state, p.confirmations,
              (select string_agg(m.status || (m.instrument is null)::text, ' ' order by m.method)
                 from charge_methods m where m.charge_id = c.id and m.account_id = c.account_id))), 12) as version
       from charges c
       left join orders o on o.id = c.order_id and o.account_id = c.account_id
       left join payouts p on p.order_id = o.id and p.account_id = o.account_id and p.state not in ('reverted', 'voided')
      where c.id = any($1)`,
    [ids],
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}
