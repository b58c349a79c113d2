// The SQL of top-ups between our senders.
import type { Approval } from '../../accounts/approvals.ts';
import type { Network } from '../../chains/asset.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { TopUp } from '../own-transfers/top-up.ts';

/** False when the key was used before. Waits for a transaction that uses it now. */
export async function insertTopUp(tx: Sql, topUp: TopUp): Promise<boolean> {
  const { id, requestKey, network, sender, destination, symbol, units, requestedBy, approvals, createdAt } = topUp;
  const rows = await tx.query(
    `insert into top_ups (id, request_key, network, sender, destination, symbol, units, requested_by, approvals, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict (request_key) do nothing returning id`,
    [
      ...[id, requestKey ?? null, network, sender, destination, symbol, units, requestedBy],
      ...[JSON.stringify(approvals), createdAt],
    ],
  );
  return rows.length > 0;
}

/** Approvals are JSON, whose moments are text. */
type StoredTopUp = Omit<TopUp, 'approvals'> & {
  readonly approvals: readonly { readonly by: string; readonly at: string }[];
};

const COLUMNS =
  'id, request_key, network, sender, destination, symbol, units::text as units, requested_by, approvals, created_at, payout_id';
const SELECT = `select ${COLUMNS} from top_ups`;
const toStored = recordOf<StoredTopUp>(COLUMNS, ['units']);

export async function findTopUp(sql: Sql, id: string): Promise<TopUp | undefined> {
  const [row] = await sql.query<RowOf<StoredTopUp>>(`${SELECT} where id = $1`, [id]);
  return row && toTopUp(row);
}

export async function lockTopUp(tx: Sql, id: string): Promise<TopUp | undefined> {
  const [row] = await tx.query<RowOf<StoredTopUp>>(`${SELECT} where id = $1 for update`, [id]);
  return row && toTopUp(row);
}

export async function findTopUpByKey(sql: Sql, requestKey: string): Promise<TopUp | undefined> {
  const [row] = await sql.query<RowOf<StoredTopUp>>(`${SELECT} where request_key = $1`, [requestKey]);
  return row && toTopUp(row);
}

/** Top-ups without a payout that were requested after a moment, oldest first. */
export async function readWaitingTopUps(sql: Sql, since: Date, limit: number): Promise<TopUp[]> {
  const rows = await sql.query<RowOf<StoredTopUp>>(
    `${SELECT} where payout_id is null and created_at > $1 order by created_at, id limit $2`,
    [since, limit],
  );
  return rows.map(toTopUp);
}

export async function setTopUpApprovals(tx: Sql, id: string, approvals: readonly Approval[]): Promise<void> {
  await tx.query('update top_ups set approvals = $2 where id = $1', [id, JSON.stringify(approvals)]);
}

export async function setTopUpPayout(tx: Sql, id: string, payoutId: string): Promise<void> {
  await tx.query('update top_ups set payout_id = $2 where id = $1', [id, payoutId]);
}

/** The open top-up of an address. */
export async function findOpenTopUp(tx: Sql, network: Network, destination: string): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `select id from payouts where network = $1 and destination = $2 and is_top_up and state = 'open'`,
    [network, destination],
  );
  return row?.id;
}

function toTopUp(row: RowOf<StoredTopUp>): TopUp {
  const { approvals, ...stored } = toStored(row);
  return { ...stored, approvals: approvals.map(({ by, at }) => ({ by, at: new Date(at) })) };
}
