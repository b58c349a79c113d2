// The SQL of comparing payouts with a chain.
import type { Network } from '../chains/asset.ts';
import type { Sql } from '../storage/database.ts';
import type { Payout } from './payout.ts';
import { type PayoutRow, SELECT_PAYOUT, toPayout } from './store.ts';

/** The payouts of a sender in the order of their slots, those after one of them. */
export async function readPayoutsOfSender(
  sql: Sql,
  network: Network,
  sender: string,
  after: Pick<Payout, 'nonce' | 'id'> | undefined,
  limit: number,
): Promise<Payout[]> {
  const rows = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where p.network = $1 and p.sender = $2 and ($3::bigint is null or (p.nonce, p.id) > ($3, $4::uuid))
      order by p.nonce, p.id limit $5`,
    [network, sender, after?.nonce, after?.id, limit],
  );
  return rows.map(toPayout);
}

/** The first block that holds a payout of the sender; undefined when none does. */
export async function firstBlockOf(sql: Sql, network: Network, sender: string): Promise<number | undefined> {
  const [row] = await sql.query<{ first: string | null }>(
    'select min(block_number) as first from payouts where network = $1 and sender = $2',
    [network, sender],
  );
  return row?.first == null ? undefined : Number(row.first);
}
