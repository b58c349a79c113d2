// The SQL of top-ups between senders of ours.
import type { Approval } from '../../accounts/approvals.ts';
import type { Network } from '../../chains/asset.ts';
import type { SentSymbol } from '../../chains/networks.ts';
import type { Row, Sql } from '../../storage/database.ts';
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

const SELECT = `select id, request_key, network, sender, destination, symbol, units::text as units, requested_by, approvals, created_at,
  payout_id from top_ups`;

export async function findTopUp(sql: Sql, id: string): Promise<TopUp | undefined> {
  const [row] = await sql.query<TopUpRow>(`${SELECT} where id = $1`, [id]);
  return row && toTopUp(row);
}

export async function lockTopUp(tx: Sql, id: string): Promise<TopUp | undefined> {
  const [row] = await tx.query<TopUpRow>(`${SELECT} where id = $1 for update`, [id]);
  return row && toTopUp(row);
}

export async function findTopUpByKey(sql: Sql, requestKey: string): Promise<TopUp | undefined> {
  const [row] = await sql.query<TopUpRow>(`${SELECT} where request_key = $1`, [requestKey]);
  return row && toTopUp(row);
}

/** Those without a payout that were made after a moment, oldest first. */
export async function readWaitingTopUps(sql: Sql, since: Date, limit: number): Promise<TopUp[]> {
  const rows = await sql.query<TopUpRow>(
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

/** The top-up of an address that is on its way. */
export async function findOpenTopUp(tx: Sql, network: Network, destination: string): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(
    `select id from payouts where network = $1 and destination = $2 and is_top_up and state = 'open'`,
    [network, destination],
  );
  return row?.id;
}

type TopUpRow = Row & {
  id: string;
  request_key: string | null;
  network: Network;
  sender: string;
  destination: string;
  symbol: SentSymbol;
  units: string;
  requested_by: string;
  approvals: readonly { readonly by: string; readonly at: string }[];
  created_at: Date;
  payout_id: string | null;
};

function toTopUp(row: TopUpRow): TopUp {
  const { id, network, sender, destination, symbol } = row;
  return {
    ...{ id, network, sender, destination, symbol },
    units: BigInt(row.units),
    requestedBy: row.requested_by,
    approvals: row.approvals.map(({ by, at }) => ({ by, at: new Date(at) })),
    createdAt: row.created_at,
    ...(row.request_key !== null && { requestKey: row.request_key }),
    ...(row.payout_id !== null && { payoutId: row.payout_id }),
  };
}
