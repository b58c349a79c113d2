// The SQL of wallets.
import type { Network } from '../chains/asset.ts';
import type { PageQuery } from '../lib/paging.ts';
import type { Row, Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type { Wallet } from './wallet.ts';

const COLUMNS = 'id, account_id, name, network, address, created_at, usable_at, is_contract';

/** Inserts a wallet; false when its id exists, or the account has a wallet with this address on this network. */
export async function insertWallet(tx: Sql, wallet: Wallet): Promise<boolean> {
  const rows = await tx.query(
    `insert into wallets (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id`,
    [
      wallet.id,
      wallet.accountId,
      wallet.name,
      wallet.network,
      wallet.address,
      wallet.createdAt,
      wallet.usableAt,
      wallet.isContract,
    ],
  );
  return rows.length > 0;
}

/** The row that kept a wallet from being inserted: its own id, or the account's wallet with the same address. */
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

type Lookup = {
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

/** Undefined when the wallet does not exist or was removed before. */
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

export type WalletQuery = PageQuery & { readonly accountId?: string; readonly network?: Network };

/** A page of wallets, newest first, and their total number; without removed ones. */
export async function readWalletPage(sql: Sql, query: WalletQuery): Promise<{ wallets: Wallet[]; total: number }> {
  const { where, limit, offset, values } = pageSql(query, { account_id: query.accountId, network: query.network });
  const rows = await sql.query<WalletRow & { total: string }>(
    `with kept as not materialized (select * from wallets where removed_at is null),
          matching as (select count(*) as total from kept ${where}),
          page as (select * from kept ${where} order by created_at desc, id desc limit ${limit} offset ${offset})
     select matching.total, page.* from matching left join page on true order by created_at desc, id desc`,
    // The last value is the page number, which this statement does not use.
    values.slice(0, -1),
  );
  return { wallets: rows.filter(row => row.id !== null).map(toWallet), total: Number(rows[0]!.total) };
}

type WalletRow = Row & {
  id: string;
  account_id: string;
  name: string;
  network: Network;
  address: string;
  created_at: Date;
  usable_at: Date;
  is_contract: boolean | null;
};

function toWallet(row: WalletRow): Wallet {
  const { id, name, network, address } = row;
  return {
    id,
    accountId: row.account_id,
    name,
    network,
    address,
    createdAt: row.created_at,
    usableAt: row.usable_at,
    ...(row.is_contract !== null && { isContract: row.is_contract }),
  };
}
