// All SQL of payments, refunds and money that no charge asked for.
import type { PageQuery } from '../lib/paging.ts';
import type { Row, Sql } from '../storage/database.ts';
import type { Charge, Payment, Refund } from './charge.ts';

/** Records money; false when the same reference was recorded before, for whichever charge. */
export async function insertPayment(tx: Sql, charge: Charge, payment: Payment, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into payments (id, account_id, charge_id, method, amount_cents, paid_at, source, reference, timing, is_repeat,
                           came_after, recorded_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (account_id, reference) do nothing
     returning id`,
    [
      payment.id,
      charge.accountId,
      charge.id,
      payment.method,
      payment.amountCents,
      payment.paidAt,
      payment.source,
      payment.reference,
      payment.timing,
      payment.isRepeat,
      payment.cameAfter,
      at,
    ],
  );
  return rows.length > 0;
}

/** The caller's word for one attempt at a refund, and what it stood for. */
export type RefundKey = { readonly key: string | undefined; readonly contentHash: string };

export async function insertRefund(
  tx: Sql,
  charge: Charge,
  refund: Refund,
  { key, contentHash }: RefundKey,
): Promise<void> {
  await tx.query(
    `insert into refunds (id, account_id, charge_id, payment_id, amount_cents, status, idempotency_key, content_hash,
                          created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, decode($8, 'hex'), $9, $9)`,
    [
      refund.id,
      charge.accountId,
      charge.id,
      refund.paymentId,
      refund.amountCents,
      refund.status,
      key,
      contentHash,
      refund.createdAt,
    ],
  );
}

export async function findRefundByKey(
  tx: Sql,
  charge: Charge,
  key: string,
): Promise<{ id: string; contentHash: string } | undefined> {
  const [row] = await tx.query<{ id: string; content_hash: string }>(
    `select id, encode(content_hash, 'hex') as content_hash from refunds
      where charge_id = $1 and account_id = $2 and idempotency_key = $3`,
    [charge.id, charge.accountId, key],
  );
  return row && { id: row.id, contentHash: row.content_hash };
}

/** Notes that a refund is about to be sent to its rail. Returns false when it had been noted before. */
export async function markRefundSubmitted(tx: Sql, charge: Charge, id: string, at: Date): Promise<boolean> {
  const rows = await tx.query(
    'update refunds set submitted_at = $3 where id = $1 and account_id = $2 and submitted_at is null returning id',
    [id, charge.accountId, at],
  );
  return rows.length > 0;
}

export async function updateRefund(
  tx: Sql,
  charge: Charge,
  id: string,
  { status, reason }: Pick<Refund, 'status' | 'reason'>,
  at: Date,
): Promise<void> {
  await tx.query('update refunds set status = $3, reason = $4, updated_at = $5 where id = $1 and account_id = $2', [
    id,
    charge.accountId,
    status,
    reason,
    at,
  ]);
}

/** Notes how much of a charge's money has been turned into crypto; its row is held. */
export async function commitMoney(tx: Sql, charge: Charge, committedCents: bigint): Promise<void> {
  await tx.query('update charges set committed_cents = $3 where id = $1 and account_id = $2', [
    charge.id,
    charge.accountId,
    committedCents,
  ]);
}

/** The charge whose pix has this txid. */
export async function findChargeByTxid(sql: Sql, txid: string): Promise<string | undefined> {
  const [row] = await sql.query<{ charge_id: string }>(
    `select charge_id from charge_methods where method = 'pix' and instrument ->> 'txid' = $1`,
    [txid],
  );
  return row?.charge_id;
}

/** Keeps money that no charge asked for; false when it was kept before. */
export async function insertUnmatched(tx: Sql, receipt: UnmatchedReceipt, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, txid, words, recorded_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (reference) do nothing
     returning reference`,
    [receipt.reference, receipt.postedAt, receipt.amountCents, receipt.txid, receipt.words, at],
  );
  return rows.length > 0;
}

/** Money that was told of by somebody who knew whose it is waits for nobody any more. */
export async function removeUnmatched(tx: Sql, reference: string): Promise<void> {
  await tx.query('delete from unmatched_receipts where reference = $1', [reference]);
}

export type UnmatchedReceipt = {
  readonly reference: string;
  readonly postedAt: Date;
  readonly amountCents: bigint;
  readonly txid?: string;
  /** What the bank wrote beside it. */
  readonly words: string;
};

/** Unmatched money, newest first, and how much of it there is. */
export async function readUnmatched(
  sql: Sql,
  page: PageQuery,
): Promise<{ receipts: UnmatchedReceipt[]; total: number }> {
  const rows = await sql.query<{ total: string; reference: string | null } & UnmatchedRow>(
    `with matching as (select count(*) as total from unmatched_receipts),
          page as (select * from unmatched_receipts order by posted_at desc, reference desc limit $1 offset $2)
     select matching.total, page.* from matching left join page on true order by posted_at desc, reference desc`,
    [page.pageSize, BigInt(page.page - 1) * BigInt(page.pageSize)],
  );
  return { receipts: rows.filter(row => row.reference !== null).map(toUnmatched), total: Number(rows[0]!.total) };
}

type UnmatchedRow = Row & {
  reference: string;
  posted_at: Date;
  amount_cents: string;
  txid: string | null;
  words: string;
};

function toUnmatched({ reference, posted_at, amount_cents, txid, words }: UnmatchedRow): UnmatchedReceipt {
  return { reference, postedAt: posted_at, amountCents: BigInt(amount_cents), words, ...(txid !== null && { txid }) };
}
