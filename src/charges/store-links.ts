// The SQL of links to checkouts.
import type { Sql } from '../storage/database.ts';

export async function readLinkKey(sql: Sql): Promise<Buffer> {
  const [row] = await sql.query<{ key: Buffer }>('select key from checkout_links');
  return row!.key;
}

/** The next epoch, so that earlier links are withdrawn; undefined when there is none left, or no such charge. */
export async function raiseLinkEpoch(
  sql: Sql,
  { id, accountId, linkEpoch }: { id: string; accountId: string; linkEpoch: number },
  maxEpoch: number,
): Promise<number | undefined> {
  const [row] = await sql.query<{ link_epoch: number }>(
    `update charges set link_epoch = link_epoch + 1
      where id = $1 and account_id = $2 and link_epoch = $3 and link_epoch < $4 returning link_epoch`,
    [id, accountId, linkEpoch, maxEpoch],
  );
  return row?.link_epoch;
}
