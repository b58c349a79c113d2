// The SQL of single disputes.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Dispute } from './dispute.ts';

export const DISPUTE_COLUMNS = `id, account_id, charge_id, payment_id, refund_id, rail, payment_reference, return_reference, cause, bank_code,
  amount_cents, status, blocked_until, is_until_estimated, note, closed_at, closed_by, reason, confirmed_at, event_count, created_at,
  updated_at`;
type DisputeRow = RowOf<Dispute>;
export const toDispute = recordOf<Dispute>(DISPUTE_COLUMNS, ['amountCents']);

/** Inserts the dispute of a return. The caller holds the lock of the charge. */
export async function insertDispute(tx: Sql, dispute: Dispute): Promise<void> {
  await tx.query(
    `insert into disputes (id, account_id, charge_id, payment_id, refund_id, rail, payment_reference, return_reference, cause, bank_code,
                           amount_cents, status, blocked_until, is_until_estimated, event_count, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $16)`,
    [
      dispute.id,
      dispute.accountId,
      dispute.chargeId,
      dispute.paymentId,
      dispute.refundId,
      dispute.rail,
      dispute.paymentReference,
      dispute.returnReference,
      dispute.cause,
      dispute.bankCode,
      dispute.amountCents,
      dispute.status,
      dispute.blockedUntil,
      dispute.isUntilEstimated,
      dispute.eventCount,
      dispute.createdAt,
    ],
  );
}

/** Writes what can change of a dispute. The caller holds the lock of its row, or of its charge. */
export async function updateDispute(tx: Sql, dispute: Dispute): Promise<void> {
  await tx.query(
    `update disputes
        set status = $3, blocked_until = $4, is_until_estimated = $5, note = $6, closed_at = $7, closed_by = $8, reason = $9,
            confirmed_at = $10, event_count = $11, updated_at = $12
      where id = $1 and account_id = $2`,
    [
      dispute.id,
      dispute.accountId,
      dispute.status,
      dispute.blockedUntil,
      dispute.isUntilEstimated,
      dispute.note,
      dispute.closedAt,
      dispute.closedBy,
      dispute.reason,
      dispute.confirmedAt,
      dispute.eventCount,
      dispute.updatedAt,
    ],
  );
}

/** `accountId` restricts the search to one account. */
export async function findDispute(sql: Sql, id: string, accountId?: string): Promise<Dispute | undefined> {
  const [row] = await sql.query<DisputeRow>(
    `select ${DISPUTE_COLUMNS} from disputes where id = $1 and ($2::text is null or account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toDispute(row);
}

/** Locks its row until the transaction ends. A charge is locked before its disputes, to prevent deadlocks. */
export async function findAndLockDispute(tx: Sql, id: string, accountId?: string): Promise<Dispute | undefined> {
  const [row] = await tx.query<DisputeRow>(
    `select ${DISPUTE_COLUMNS} from disputes where id = $1 and ($2::text is null or account_id = $2) for update`,
    [id, accountId ?? null],
  );
  return row && toDispute(row);
}

/** Every dispute of these charges, oldest first. */
export async function readDisputesOfCharges(sql: Sql, chargeIds: readonly string[]): Promise<Dispute[]> {
  const rows = await sql.query<DisputeRow>(
    `select ${DISPUTE_COLUMNS} from disputes where charge_id = any($1) order by created_at, id`,
    [chargeIds],
  );
  return rows.map(toDispute);
}
