// The SQL that writes ledger entries.
import type { Sql } from '../storage/database.ts';
import type { Entry } from './entry.ts';

/**
 * Posts entries with their lines, in the transaction of the change that caused them. An entry whose cause was posted
 * before is skipped with its lines, so a retried transaction posts once. The database refuses lines that do not sum to
 * zero.
 */
export async function postEntries(tx: Sql, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.flatMap(entry => entry.lines.map(line => ({ entry, line })));
  await tx.query(
    `with entry as (
       insert into ledger_entries (id, account_id, kind, cause_id, charge_id, order_id, at)
       select * from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::uuid[], $7::timestamptz[])
       on conflict (cause_id, account_id, kind) do nothing
       returning id, account_id)
     insert into ledger_lines (entry_id, account_id, book, currency, amount)
     select entry.id, entry.account_id, line.book, line.currency, line.amount
       from entry
       join unnest($8::uuid[], $9::text[], $10::text[], $11::text[], $12::numeric[])
            as line (entry_id, account_id, book, currency, amount)
         on line.entry_id = entry.id and line.account_id = entry.account_id`,
    [
      entries.map(entry => entry.id),
      entries.map(entry => entry.accountId),
      entries.map(entry => entry.kind),
      entries.map(entry => entry.causeId),
      entries.map(entry => entry.chargeId ?? null),
      entries.map(entry => entry.orderId ?? null),
      entries.map(entry => entry.at),
      lines.map(({ entry }) => entry.id),
      lines.map(({ entry }) => entry.accountId),
      lines.map(({ line }) => line.book),
      lines.map(({ line }) => line.currency),
      lines.map(({ line }) => line.amount),
    ],
  );
}
