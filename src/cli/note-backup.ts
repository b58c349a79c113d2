// The line of the audit log about a backup.
import { uuidV7 } from '../lib/ids.ts';
import { insertAuditLines } from '../storage/audit.ts';
import { sealAudit } from '../storage/audit-chain.ts';
import type { Database } from '../storage/database.ts';

/**
 * Every copy of all data has a line in the audit log, written before the copy is made, with all lines sealed. A standby is
 * read-only, so it gets no line.
 */
export async function noteBackup(db: Database): Promise<void> {
  const [state] = await db.query<{ at: Date; is_standby: boolean }>(
    `select date_trunc('milliseconds', clock_timestamp()) as at, pg_is_in_recovery() as is_standby`,
  );
  if (!state || state.is_standby) return;
  const { at } = state;
  const context = { actor: 'operator', action: 'trilho backup', at, status: 0 };
  await db.transaction(tx => insertAuditLines(tx, [{ id: uuidV7(at), objectId: at.toISOString(), context }]));
  await sealAudit(db);
}
