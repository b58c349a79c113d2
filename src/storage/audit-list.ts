// The SQL of the audit log for display: newest first, by position.
import type { Sql } from './database.ts';
import { type RowOf, recordOf } from './records.ts';

type AuditEntry = {
  readonly position: bigint;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly objectId?: string;
  readonly requestId?: string;
  readonly hash: string;
};

const toEntry = recordOf<AuditEntry>('position, at, actor, action, object_id, request_id, hash', ['position']);

type AuditQuery = {
  readonly before?: bigint | undefined;
  readonly actor?: string | undefined;
  readonly limit: number;
};

/** A filter by actor searches this many lines: the log has no index for it. */
const LOOKED_THROUGH = 100_000;

export async function readAuditLines(sql: Sql, { before, actor, limit }: AuditQuery): Promise<AuditEntry[]> {
  const rows = await sql.query<RowOf<AuditEntry>>(
    `select position, at, actor, action, object_id, request_id, encode(hash, 'hex') as hash
       from (select * from audit_log where $1::bigint is null or position < $1 order by position desc
              limit case when $2::text is null then $3::bigint else ${LOOKED_THROUGH} end) newest
      where $2::text is null or actor = $2 order by position desc limit $3`,
    [before ?? null, actor ?? null, limit],
  );
  return rows.map(toEntry);
}
