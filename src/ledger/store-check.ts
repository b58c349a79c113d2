// The SQL of checking: the snapshot, a check's query with its count, and what the ledger can prove of itself.
import type { Sql } from '../storage/database.ts';

export type LedgerCheck = {
  readonly name: string;
  /**
   * Selects what differs, and nothing where all is well: `object_id` (an id, as text), `currency` (empty where there is
   * none), `expected` and `found` (whole numbers, as the books keep them). It takes no parameters.
   */
  readonly sql: string;
};

export type Difference = {
  readonly check: string;
  readonly objectId: string;
  readonly currency: string;
  readonly expected: string;
  readonly found: string;
};

/** A check with how many differences it found, and the first of them. */
export type CheckResult = {
  readonly check: string;
  readonly total: number;
  readonly differences: readonly Difference[];
};

/** What must hold whatever moved. Sums that are zero for each account are zero for all. */
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
];

/** Everything that the transaction reads is of one moment. It looks at all there is, for as long as that takes. */
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
