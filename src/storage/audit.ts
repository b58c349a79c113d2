// Audit lines: a transaction that changes something inserts one with it. `audit-chain.ts` seals them.
import {
  type AuditContext,
  type AuditLine,
  currentAuditContext,
  setAuditObject,
  withAuditContext,
} from '../lib/audit-context.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from './database.ts';

/** Notified by a transaction that inserts audit lines. */
export const AUDIT_CHANNEL = 'audit lines';

/**
 * Wraps a database: a transaction inside an audit context that changed something also inserts an audit line. Line and
 * change are committed or rolled back together.
 */
export function audited(db: Database): Database {
  return {
    ...db,
    transaction: (work, options) => {
      const context = currentAuditContext();
      if (!context) return db.transaction(work, options);
      // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own line.
      const id = uuidV7(context.at);
      const own: AuditContext = { ...context };
      const change = async (tx: Sql) => {
        const result = await work(tx);
        await insertLineIfChanged(tx, id, own);
        return result;
      };
      return withAuditContext(own, () => db.transaction(change, options));
    },
  };
}

export async function insertAuditLines(tx: Sql, lines: readonly AuditLine[]): Promise<void> {
  if (lines.length === 0) return;
  await tx.query(
    `insert into audit_inbox (id, at, actor, action, object_id, request_id, status)
     select * from unnest(
       $1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[])
     on conflict (id) do nothing`,
    [
      lines.map(({ id }) => id),
      lines.map(({ context }) => context.at),
      lines.map(({ context }) => context.actor),
      lines.map(({ context }) => context.action),
      lines.map(({ objectId }) => objectId),
      lines.map(({ context }) => context.requestId ?? null),
      lines.map(({ context }) => context.status),
    ],
    { name: 'insert_audit_lines' },
  );
  tx.notify?.(AUDIT_CHANNEL);
}

/** Inserts an audit line for a transaction that only reads, where reading must be on record. */
async function auditReading(tx: Sql): Promise<void> {
  await tx.query('select pg_current_xact_id()');
}

/** Records a read before anything of it is sent. */
export async function recordReading(db: Database, objectId?: string): Promise<void> {
  await db.transaction(async tx => {
    if (objectId !== undefined) setAuditObject(objectId);
    await auditReading(tx);
  });
}

/** A transaction that has written nothing has no transaction id yet: then it inserts no line. */
async function insertLineIfChanged(tx: Sql, id: string, context: AuditContext): Promise<void> {
  const inserted = await tx.query(
    `insert into audit_inbox (id, at, actor, action, object_id, request_id, status)
     select $1::uuid, $2::timestamptz, $3::text, $4::text, $5::text, $6::text, $7::integer
      where pg_current_xact_id_if_assigned() is not null
     on conflict (id) do nothing returning id`,
    [
      id,
      context.at,
      context.actor,
      context.action,
      context.objectId ?? null,
      context.requestId ?? null,
      context.status,
    ],
  );
  if (inserted.length > 0) tx.notify?.(AUDIT_CHANNEL);
}
