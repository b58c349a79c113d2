// The SQL of comparing payouts with a chain.
import type { Network } from '../../chains/asset.ts';
import type { SentSymbol } from '../../chains/networks.ts';
import type { Sql } from '../../storage/database.ts';
import type { Spent } from '../compare/balances.ts';
import type { Payout } from '../payout.ts';
import { type PayoutRow, SELECT_PAYOUT, toPayout } from './payouts.ts';

/** The payouts of a sender after one of them, lowest slot first. */
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

/** What top-ups from other senders brought to a sender, as negative spending. */
export async function readArrivals(sql: Sql, network: Network, sender: string): Promise<Spent[]> {
  const rows = await sql.query<{ symbol: SentSymbol; block: string; units: string }>(
    `select symbol, block_number as block, (case when state = 'mismatched' then left_units else units end)::text as units
       from payouts
      where network = $1 and destination = $2 and is_top_up and state in ('done', 'final', 'mismatched') and block_number is not null`,
    [network, sender],
  );
  return rows.map(({ symbol, block, units }) => ({
    symbol,
    block: Number(block),
    leftUnits: -BigInt(units),
    feeUnits: 0n,
  }));
}

type FirstBlock = {
  readonly number: number;
  /** Whether a payout was recorded only after it had been sent: then others may have left before the first block. */
  readonly isAdopted: boolean;
};

/** The first block that holds a payout of the sender; undefined when no block does. */
export async function firstBlockOf(sql: Sql, network: Network, sender: string): Promise<FirstBlock | undefined> {
  const [row] = await sql.query<{ first: string | null; is_adopted: boolean }>(
    `select min(block_number) as first, count(adopted_at) > 0 as is_adopted
       from payouts where network = $1 and sender = $2`,
    [network, sender],
  );
  return row?.first == null ? undefined : { number: Number(row.first), isAdopted: row.is_adopted };
}

/** Whether the payout with the lowest slot was recorded only after it had been sent: then earlier ones may be missing. */
export async function isFirstAdopted(sql: Sql, network: Network, sender: string): Promise<boolean> {
  const [row] = await sql.query<{ is_adopted: boolean }>(
    `select adopted_at is not null as is_adopted from payouts
      where network = $1 and sender = $2 order by nonce, id limit 1`,
    [network, sender],
  );
  return row?.is_adopted ?? false;
}
