// The SQL of pauses.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Pause, PauseScope } from '../policy/pause.ts';

const COLUMNS = 'id, network, symbol, reason, paused_at, paused_by';
const toPause = recordOf<Pause>(COLUMNS);

/** All pauses, oldest first. They are few: at most one for each scope. */
export async function readPauses(sql: Sql): Promise<Pause[]> {
  const rows = await sql.query<RowOf<Pause>>(`select ${COLUMNS} from payout_pauses order by paused_at, id`);
  return rows.map(toPause);
}

/** An existing pause of the same scope stays as it is. */
export async function insertPause(tx: Sql, { id, network, symbol, reason, pausedAt, pausedBy }: Pause): Promise<void> {
  await tx.query(`insert into payout_pauses (${COLUMNS}) values ($1, $2, $3, $4, $5, $6) on conflict do nothing`, [
    id,
    network,
    symbol,
    reason,
    pausedAt,
    pausedBy,
  ]);
}

/** Removes the pause of exactly this scope. */
export async function deletePause(tx: Sql, { network, symbol }: PauseScope): Promise<void> {
  await tx.query('delete from payout_pauses where network is not distinct from $1 and symbol is not distinct from $2', [
    network,
    symbol,
  ]);
}
