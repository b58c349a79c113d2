// The SQL of gaps: slots below the next one of a sender that no payout has, and the transactions that fill them.
import type { Network } from '../../chains/asset.ts';
import type { Sql } from '../../storage/database.ts';
import type { Payout } from '../payout.ts';
import { type PayoutRow, SELECT_PAYOUT, toPayout } from './payouts.ts';

/** How many slots are checked, from the first that the chain has not used. */
const SPAN = 1_000;
const MAX_GAP = 64;

/** The lowest slots of a sender, from `from` on, that were given out or skipped, and that no payout uses. */
export async function findGap(sql: Sql, network: Network, sender: string, from: bigint): Promise<bigint[]> {
  const rows = await sql.query<{ slot: string }>(
    `select slot from chain_senders s
       cross join lateral generate_series($3::bigint, least(s.next_nonce - 1, $3::bigint + ${SPAN})) slot
      where s.network = $1 and s.sender = $2
        and not exists (select from payouts p
          where p.network = $1 and p.sender = $2 and p.nonce = slot and (p.state <> 'voided' or p.hash is not null))
      order by slot limit ${MAX_GAP}`,
    [network, sender, from],
  );
  return rows.map(({ slot }) => BigInt(slot));
}

/** Open gap fills of a sender, lowest slot first. */
export async function readOpenFills(sql: Sql, network: Network, sender: string): Promise<Payout[]> {
  const rows = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where p.network = $1 and p.sender = $2 and p.is_gap_fill and p.state in ('open', 'done')
      order by p.nonce limit ${MAX_GAP}`,
    [network, sender],
  );
  return rows.map(toPayout);
}

/** Opens payouts that move nothing: only voids are signed for them. */
export async function insertGapFills(tx: Sql, fills: readonly Payout[], nextLookup: Date, at: Date): Promise<void> {
  await tx.query(
    `insert into payouts (id, account_id, network, sender, nonce, symbol, units, destination, swept_by, chain_id, token, is_test,
                          is_gap_fill, void_requested_at, state, next_look_at, created_at, updated_at)
     select f.id, f.account_id, f.network, f.sender, f.nonce, f.symbol, 0, f.destination, f.swept_by, f.chain_id, f.token, f.is_test,
            true, $13, 'open', $12, $13, $13
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::text[],
                   $9::bigint[], $10::text[], $11::boolean[])
         as f (id, account_id, network, sender, nonce, symbol, destination, swept_by, chain_id, token, is_test)`,
    [
      fills.map(({ id }) => id),
      fills.map(({ accountId }) => accountId),
      fills.map(({ network }) => network),
      fills.map(({ sender }) => sender),
      fills.map(({ nonce }) => nonce),
      fills.map(({ symbol }) => symbol),
      fills.map(({ destination }) => destination),
      fills.map(({ sweptBy }) => sweptBy),
      fills.map(({ place }) => place?.chainId),
      fills.map(({ place }) => place?.token),
      fills.map(({ place }) => place?.isTest),
      nextLookup,
      at,
    ],
  );
}
