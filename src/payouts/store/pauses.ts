// The SQL of pauses.
import type { AssetSymbol, Network } from '../../chains/asset.ts';
import type { Row, Sql } from '../../storage/database.ts';
import type { Pause, PauseScope } from '../policy/pause.ts';

/** All pauses, oldest first. They are few: one for each scope at most. */
export async function readPauses(sql: Sql): Promise<Pause[]> {
  const rows = await sql.query<PauseRow>(
    'select id, network, symbol, reason, paused_at, paused_by from payout_pauses order by paused_at, id',
  );
  return rows.map(row => ({
    id: row.id,
    pausedAt: row.paused_at,
    pausedBy: row.paused_by,
    ...(row.network !== null && { network: row.network }),
    ...(row.symbol !== null && { symbol: row.symbol }),
    ...(row.reason !== null && { reason: row.reason }),
  }));
}

type PauseRow = Row & {
  id: string;
  network: Network | null;
  symbol: AssetSymbol | null;
  reason: string | null;
  paused_at: Date;
  paused_by: string;
};

/** A pause of the same scope that is there already stays as it is. */
export async function insertPause(tx: Sql, { id, network, symbol, reason, pausedAt, pausedBy }: Pause): Promise<void> {
  await tx.query(
    `insert into payout_pauses (id, network, symbol, reason, paused_at, paused_by)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
    [id, network, symbol, reason, pausedAt, pausedBy],
  );
}

/** Removes the pause of exactly this scope. */
export async function deletePause(tx: Sql, { network, symbol }: PauseScope): Promise<void> {
  await tx.query('delete from payout_pauses where network is not distinct from $1 and symbol is not distinct from $2', [
    network,
    symbol,
  ]);
}
