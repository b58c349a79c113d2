// The SQL that reads balances and pages of entries.
import type { PageQuery } from '../lib/paging.ts';
import type { Row, Sql } from '../storage/database.ts';
import { pageSql } from '../storage/page.ts';
import type { LedgerCurrency } from './currency.ts';
import type { Book, Entry, EntryKind } from './entry.ts';

type Balance = {
  readonly accountId: string;
  readonly book: Book;
  readonly currency: LedgerCurrency;
  readonly amount: bigint;
};
type CurrencySum = Pick<Balance, 'currency' | 'amount'>;
export type BalanceFilter = { readonly accountId?: string; readonly currency?: LedgerCurrency };

/** Up to `limit` balances, in order, and the sums of all matching ones; both from one snapshot. Reads kept sums, not lines. */
export async function readBalances(
  sql: Sql,
  { accountId, currency }: BalanceFilter,
  limit: number,
): Promise<{ balances: Balance[]; sums: CurrencySum[] }> {
  const [row] = await sql.query<{ balances: Written<Balance>[]; sums: Written<CurrencySum>[] }>(
    `with matching as materialized (
       select account_id, book, currency, sum(amount) as amount
         from (select account_id, book, currency, amount from ledger_balances
                union all
               select account_id, book, currency, amount from ledger_balance_changes) kept
        where ($1::text is null or account_id = $1) and ($2::text is null or currency = $2)
        group by account_id, book, currency),
     shown as (
       select row_number() over (order by account_id collate "C", currency collate "C", book collate "C") as number,
              account_id as "accountId", book, currency, amount::text
         from matching)
     select (select coalesce(json_agg(row_to_json(shown) order by number), '[]') from shown where number <= $3) as balances,
            (select coalesce(json_agg(row_to_json(s) order by currency collate "C"), '[]')
               from (select currency, sum(amount)::text as amount from matching group by currency) s) as sums`,
    [accountId ?? null, currency ?? null, limit],
  );
  return { balances: row!.balances.map(toAmount), sums: row!.sums.map(toAmount) };
}

/** Amounts are text in the JSON: a number would be read as a float. */
type Written<T extends { amount: bigint }> = Omit<T, 'amount'> & { readonly amount: string };

function toAmount<T extends { readonly amount: string }>(row: T): Omit<T, 'amount'> & { amount: bigint } {
  return { ...row, amount: BigInt(row.amount) };
}

export type EntryFilter = PageQuery & {
  readonly accountId?: string;
  readonly chargeId?: string;
  readonly orderId?: string;
};

/** A page of entries with their lines, newest first, and their total number; both from one snapshot. */
export async function readEntryPage(sql: Sql, query: EntryFilter): Promise<{ entries: Entry[]; total: number }> {
  const { where, limit, offset, values } = pageSql(query, {
    account_id: query.accountId,
    charge_id: query.chargeId,
    order_id: query.orderId,
  });
  const rows = await sql.query<EntryRow & { total: string }>(
    `with entries as not materialized (select e.*, e.at as created_at from ledger_entries e),
          matching as (select count(*) as total from entries ${where}),
          page as (select * from entries ${where} order by at desc, id desc limit ${limit} offset ${offset})
     select matching.total, page.*,
            (select json_agg(json_build_object('book', l.book, 'currency', l.currency, 'amount', l.amount::text)
                             order by l.currency collate "C", l.amount desc, l.book collate "C")
               from ledger_lines l
              where l.entry_id = page.id and l.account_id = page.account_id) as lines
       from matching left join page on true
      order by page.at desc, page.id desc`,
    // The last value is the page number, which this statement does not use.
    values.slice(0, -1),
  );
  return { entries: rows.filter(row => row.id !== null).map(toEntry), total: Number(rows[0]!.total) };
}

type EntryRow = Row & {
  id: string;
  account_id: string;
  kind: EntryKind;
  cause_id: string;
  charge_id: string | null;
  order_id: string | null;
  at: Date;
  lines: Written<Balance>[] | null;
};

function toEntry(row: EntryRow): Entry {
  return {
    id: row.id,
    kind: row.kind,
    causeId: row.cause_id,
    accountId: row.account_id,
    at: row.at,
    ...(row.charge_id !== null && { chargeId: row.charge_id }),
    ...(row.order_id !== null && { orderId: row.order_id }),
    lines: (row.lines ?? []).map(toAmount),
  };
}
