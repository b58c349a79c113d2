// The audit log, first half: a transaction that changes something as part of an act takes a line about it along.
import { type Act, acting, currentAct } from '../lib/act.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from './database.ts';
import type { Statement } from './together.ts';

/**
 * The same database, whose transactions write a line of the act they belong to when they have changed something. Line and
 * change are there together or not at all.
 */
export function audited(db: Database): Database {
  return {
    ...db,
    transaction: (work, options) => {
      const act = currentAct();
      if (!act) return db.transaction(work, options);
      // Made beforehand: a transaction that is run again after its commit got lost finds its line.
      const id = uuidV7(act.at);
      const own: Act = { ...act };
      const change = async (tx: Sql) => {
        const result = await work(tx);
        await insertLineIfChanged(tx, id, own);
        return result;
      };
      return acting(own, () => db.transaction(change, options));
    },
  };
}

/** A line that is written by whoever works for many at once, and so in nobody's name. */
export type AuditLine = { readonly id: string; readonly act: Act; readonly objectId: string };

/** The line of the present act, about an object; none where nobody acts. */
export function lineAbout(objectId: string): AuditLine | undefined {
  const act = currentAct();
  return act && { id: uuidV7(act.at), act, objectId };
}

export function linesInsertion(lines: readonly AuditLine[]): Statement {
  return {
    name: 'insert_audit_lines',
    text: `insert into audit_inbox (id, at, actor, action, object_id, request_id, status)
           select * from unnest(
             $1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::integer[])
           on conflict (id) do nothing`,
    values: [
      lines.map(({ id }) => id),
      lines.map(({ act }) => act.at),
      lines.map(({ act }) => act.actor),
      lines.map(({ act }) => act.action),
      lines.map(({ objectId }) => objectId),
      lines.map(({ act }) => act.requestId ?? null),
      lines.map(({ act }) => act.status),
    ],
  };
}

/** A transaction that has written nothing has no number yet, and then there is nothing to tell. */
async function insertLineIfChanged(tx: Sql, id: string, act: Act): Promise<void> {
  await tx.query(
    `insert into audit_inbox (id, at, actor, action, object_id, request_id, status)
     select $1::uuid, $2::timestamptz, $3::text, $4::text, $5::text, $6::text, $7::integer
      where pg_current_xact_id_if_assigned() is not null
     on conflict (id) do nothing`,
    [id, act.at, act.actor, act.action, act.objectId ?? null, act.requestId ?? null, act.status],
  );
}
