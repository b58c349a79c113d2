// The SQL of comparing payouts with a chain.
import type { Network } from '../chains/asset.ts';
import type { Sql } from '../storage/database.ts';
import type { Payout } from './payout.ts';
import { type PayoutRow, SELECT_PAYOUT, toPayout } from './store.ts';

/** The payouts of a sender in the order of their slots, those after a slot. */
export async function readPayoutsOfSender(
  sql: Sql,
  network: Network,
  sender: string,
  afterNonce: bigint,
  limit: number,
): Promise<Payout[]> {
  const rows = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where p.network = $1 and p.sender = $2 and p.nonce > $3 order by p.nonce limit $4`,
    [network, sender, afterNonce, limit],
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
