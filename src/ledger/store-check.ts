// The SQL of ledger checks: the snapshot, the query of a check with its count, and the ledger's own checks.
import type { Sql } from '../storage/database.ts';

export type LedgerCheck = {
  readonly name: string;
  /**
   * Selects the differences: `object_id` (an id, as text), `currency` (empty when it does not apply), `expected` and `found`
   * (integers in the smallest unit). It takes no parameters.
   */
  readonly sql: string;
};

type Difference = {
  readonly check: string;
  readonly objectId: string;
  readonly currency: string;
  readonly expected: string;
  readonly found: string;
};

/** A check with its number of differences, and the first of them. */
export type CheckResult = {
  readonly check: string;
  readonly total: number;
  readonly differences: readonly Difference[];
};

/** The invariants of the ledger itself. If the sums of each account are zero, the sum of all accounts is zero too. */
export const OWN_CHECKS: readonly LedgerCheck[] = [
  {
    name: 'entries sum to zero',
    sql: `select entry_id::text as object_id, currency, 0 as expected, sum(amount) as found
            from ledger_lines
           group by entry_id, account_id, currency
          having sum(amount) <> 0`,
  },
  {
    name: 'entries have lines',
    sql: `select e.id::text as object_id, '' as currency, 1 as expected, 0 as found
            from ledger_entries e
           where not exists (select from ledger_lines l where l.entry_id = e.id and l.account_id = e.account_id)`,
  },
  {
    name: 'books sum to zero',
    sql: `select account_id as object_id, currency, 0 as expected, sum(amount) as found
            from ledger_lines
           group by account_id, currency
          having sum(amount) <> 0`,
  },
  {
    name: 'kept balances are the sums of lines',
    sql: `select account_id || ' ' || book as object_id, currency, sum(line) as expected, sum(kept) as found
            from (select account_id, book, currency, amount as line, 0 as kept from ledger_lines
                   union all
                  select account_id, book, currency, 0, amount from ledger_balances
                   union all
                  select account_id, book, currency, 0, amount from ledger_balance_changes) summed
           group by account_id, book, currency
          having sum(line) <> sum(kept)`,
  },
];

/** Gives the transaction one snapshot and no statement timeout, because it reads all rows. */
export async function openSnapshot(tx: Sql): Promise<void> {
  await tx.query('set transaction isolation level repeatable read, read only');
  await tx.query('set local statement_timeout = 0');
}

export async function findDifferences(tx: Sql, { name, sql }: LedgerCheck, limit: number): Promise<CheckResult> {
  const rows = await tx.query<DifferenceRow>(
    `select object_id, currency, expected::text, found::text, count(*) over () as total
       from (${sql}) as difference
      order by object_id, currency
      limit $1`,
    [limit],
  );
  return {
    check: name,
    total: Number(rows[0]?.total ?? 0),
    differences: rows.map(row => ({
      check: name,
      objectId: row.object_id,
      currency: row.currency,
      expected: row.expected,
      found: row.found,
    })),
  };
}

type DifferenceRow = { object_id: string; currency: string; expected: string; found: string; total: string };
