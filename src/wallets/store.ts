// The SQL of wallets.
import type { Approval } from '../accounts/approvals.ts';
import type { Network } from '../chains/asset.ts';
import type { PageQuery } from '../lib/paging.ts';
import type { Row, Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import { type RowOf, recordOf } from '../storage/records.ts';
import type { Actor, Wallet } from './wallet.ts';

const WRITTEN = 'id, account_id, name, network, address, created_at, usable_at, is_contract, created_by';
const COLUMNS = `${WRITTEN}, approved_at, approvals, blocked_at, declared_at, proven_at`;
/** Times inside JSON are text. */
type WalletRecord = Omit<Wallet, 'approvals'> & { readonly approvals?: readonly StoredApproval[] };
type StoredApproval = { readonly by: string; readonly at: string };
type WalletRow = RowOf<WalletRecord>;
const toRecord = recordOf<WalletRecord>(COLUMNS);

function toWallet(row: WalletRow): Wallet {
  const { approvals, ...wallet } = toRecord(row);
  return { ...wallet, ...(approvals && { approvals: approvals.map(({ by, at }) => ({ by, at: new Date(at) })) }) };
}

/** Inserts a wallet; false when its id exists, or the account has a wallet with this address on this network. */
export async function insertWallet(tx: Sql, wallet: Wallet): Promise<boolean> {
  const rows = await tx.query(
    `insert into wallets (${WRITTEN}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning id`,
    [
      wallet.id,
      wallet.accountId,
      wallet.name,
      wallet.network,
      wallet.address,
      wallet.createdAt,
      wallet.usableAt,
      wallet.isContract,
      wallet.createdBy,
    ],
  );
  return rows.length > 0;
}

/** The conflicting row of an insert: with the same id, or the account's wallet with the same address. */
export async function findConflicting(
  tx: Sql,
  { id, accountId, network, address }: Wallet,
): Promise<Wallet | undefined> {
  const [row] = await tx.query<WalletRow>(
    `select ${COLUMNS} from wallets
      where account_id = $2 and (id = $1 or (network = $3 and address = $4 and removed_at is null))
      order by id = $1 desc
      limit 1`,
    [id, accountId, network, address],
  );
  return row && toWallet(row);
}

export type Lookup = {
  /** Restricts the search to this account. */
  readonly accountId?: string | undefined;
  /** Includes removed wallets, for orders that refer to them. */
  readonly withRemoved?: boolean;
};

export async function findWallet(
  sql: Sql,
  id: string,
  { accountId, withRemoved = false }: Lookup = {},
): Promise<Wallet | undefined> {
  const [row] = await sql.query<WalletRow>(
    `select ${COLUMNS} from wallets
      where id = $1 and ($2::text is null or account_id = $2) and ($3 or removed_at is null)`,
    [id, accountId, withRemoved],
  );
  return row && toWallet(row);
}

export async function findAndLockWallet(
  tx: Sql,
  id: string,
  { accountId, withRemoved = false }: Lookup = {},
): Promise<Wallet | undefined> {
  const [row] = await tx.query<WalletRow>(
    `select ${COLUMNS} from wallets
      where id = $1 and ($2::text is null or account_id = $2) and ($3 or removed_at is null) for update`,
    [id, accountId, withRemoved],
  );
  return row && toWallet(row);
}

/** All approvals of a wallet, and which of them completed them. */
export async function writeApprovals(
  tx: Sql,
  { id, accountId }: Wallet,
  approvals: readonly Approval[],
  completed: Approval | undefined,
): Promise<void> {
  await tx.query(
    'update wallets set approvals = $3, approved_at = $4, approved_by = $5 where id = $1 and account_id = $2',
    [id, accountId, JSON.stringify(approvals), completed?.at ?? null, completed?.by ?? null],
  );
}

/** Without `block`, lifts the block. */
export async function markBlocked(
  tx: Sql,
  { id, accountId }: Wallet,
  block: { readonly at: Date; readonly by: Actor } | undefined,
): Promise<void> {
  await tx.query('update wallets set blocked_at = $3, blocked_by = $4 where id = $1 and account_id = $2', [
    id,
    accountId,
    block?.at,
    block?.by,
  ]);
}

/** Whether any wallet with this address is blocked, of any account or network, removed or not. */
export async function isAddressBlocked(sql: Sql, address: string): Promise<boolean> {
  const [row] = await sql.query<Row & { blocked: boolean }>(
    'select exists (select from wallets where address = $1 and blocked_at is not null) as blocked',
    [address],
  );
  return row?.blocked ?? false;
}

/** The blocked ones of the addresses, as in `isAddressBlocked`. */
export async function blockedAmong(sql: Sql, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<Row & { address: string }>(
    'select distinct address from wallets where address = any($1) and blocked_at is not null',
    [addresses],
  );
  return new Set(rows.map(({ address }) => address));
}

/** Undefined when the wallet does not exist or was already removed. */
export async function markRemoved(
  tx: Sql,
  id: string,
  accountId: string | undefined,
  at: Date,
): Promise<Wallet | undefined> {
  const [row] = await tx.query<WalletRow>(
    `update wallets set removed_at = $2
      where id = $1 and ($3::text is null or account_id = $3) and removed_at is null
      returning ${COLUMNS}`,
    [id, at, accountId ?? null],
  );
  return row && toWallet(row);
}

export type WalletQuery = PageQuery & {
  readonly accountId?: string;
  readonly network?: Network;
  /** Only those that are not approved yet. */
  readonly isUnapproved?: boolean;
};

/** A page of wallets, newest first, and their total number; without removed ones. */
export async function readWalletPage(sql: Sql, query: WalletQuery): Promise<{ wallets: Wallet[]; total: number }> {
  const { where, limit, offset, values } = pageSql(query, { account_id: query.accountId, network: query.network });
  const rows = await sql.query<WalletRow & { total: string }>(
    `with kept as not materialized (
            select * from wallets where removed_at is null${query.isUnapproved ? ' and approved_at is null' : ''}),
          matching as (select count(*) as total from kept ${where}),
          page as (select * from kept ${where} order by created_at desc, id desc limit ${limit} offset ${offset})
     select matching.total, page.* from matching left join page on true order by created_at desc, id desc`,
    // The last value is the page number, which this statement does not use.
    values.slice(0, -1),
  );
  return { wallets: rows.filter(row => row.id !== null).map(toWallet), total: Number(rows[0]!.total) };
}
