// The SQL of cold sweeps.
import type { AssetSymbol, Network } from '../../chains/asset.ts';
import type { Sql } from '../../storage/database.ts';
import type { Payout } from '../payout.ts';

/** Locks the rows of payouts until the transaction ends, lowest id first. */
export async function lockPayouts(tx: Sql, payouts: readonly Pick<Payout, 'id'>[]): Promise<void> {
  if (payouts.length === 0) return;
  const ids = payouts.map(({ id }) => id);
  await tx.query('select from payouts where id = any($1) order by id for update', [ids]);
}

/** The open cold sweep of an asset. */
export async function findOpenSweep(tx: Sql, network: Network, symbol: AssetSymbol): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `select id from payouts where network = $1 and symbol = $2 and order_id is null and state = 'open' and not is_gap_fill
        and not is_top_up`,
    [network, symbol],
  );
  return row?.id;
}
