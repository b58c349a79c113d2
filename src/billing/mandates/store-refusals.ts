// The SQL of cancellations that a PSP refuses.
import type { Sql } from '../../storage/database.ts';

type CancelRefusal = {
  readonly mandateId: string;
  /** Of a collection; absent: of the mandate itself. */
  readonly collectionId?: string;
  readonly reason: string;
  readonly askedAt: Date | undefined;
};

/** Of mandates and collections that are still open at the PSP, oldest first, and their number. */
export async function readCancelRefusals(
  sql: Sql,
  limit: number,
  accountId?: string,
): Promise<{ readonly refusals: readonly CancelRefusal[]; readonly total: number }> {
  const rows = await sql.query<{
    mandate_id: string;
    collection_id: string | null;
    cancel_refusal: string;
    cancel_asked_at: Date | null;
    total: number;
  }>(
    `with refused as (
       select id as mandate_id, null::uuid as collection_id, cancel_refusal, cancel_asked_at from mandates
        where cancel_refusal is not null and ($2::text is null or account_id = $2)
       union all
       select mandate_id, id, cancel_refusal, cancel_asked_at from mandate_collections
        where cancel_refusal is not null and ($2::text is null or account_id = $2))
     select refused.*, (count(*) over ())::int as total from refused order by cancel_asked_at, mandate_id, collection_id limit $1`,
    [limit, accountId ?? null],
  );
  const refusals = rows.map(row => ({
    mandateId: row.mandate_id,
    ...(row.collection_id !== null && { collectionId: row.collection_id }),
    reason: row.cancel_refusal,
    askedAt: row.cancel_asked_at ?? undefined,
  }));
  return { refusals, total: rows[0]?.total ?? 0 };
}
