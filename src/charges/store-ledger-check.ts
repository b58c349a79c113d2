// The SQL that holds the ledger against the charges: what payers gave, what the bank owes, what went back, what is at hand.
import type { LedgerCheck } from '../ledger/store-check.ts';

const DONE = `status = 'DONE'`;
/** The payment that the bank owes us: by boleto, the first, and not credited yet. */
const OWED_BY_BANK = `
  select p.account_id, p.charge_id, p.amount_cents
    from payments p
    join charge_methods m
      on m.charge_id = p.charge_id and m.account_id = p.account_id and m.method = p.method and m.status = 'PAID'
   where p.method = 'boleto' and not p.is_repeat`;

export const CHARGE_LEDGER_CHECKS: readonly LedgerCheck[] = [
  check('payments are in payer', 'payer', 'select account_id, charge_id, -amount_cents as amount from payments'),
  check(
    'paid boletos are in receivable',
    'receivable',
    `select account_id, charge_id, amount_cents as amount from (${OWED_BY_BANK}) owed`,
  ),
  check(
    'refunds are in refund',
    'refund',
    `select account_id, charge_id, amount_cents as amount from refunds where ${DONE}`,
  ),
  check(
    'the rest is in settled',
    'settled',
    `select account_id, charge_id, amount_cents as amount from payments
     union all
     select account_id, charge_id, -amount_cents from (${OWED_BY_BANK}) owed
     union all
     select account_id, charge_id, -amount_cents from refunds where ${DONE}`,
  ),
];

/** Sums of a book by charge beside what the charges say. Entries of orders move money of their own in some of these books. */
function check(name: string, book: string, parts: string): LedgerCheck {
  return {
    name,
    sql: `
      with expected as (
        select account_id, charge_id, 'BRL' as currency, sum(amount) as amount from (${parts}) parts
         group by account_id, charge_id),
      found as (
        select e.account_id, e.charge_id, l.currency, sum(l.amount) as amount
          from ledger_entries e
          join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id
         where e.kind in ('payment', 'settlement', 'refund') and l.book = '${book}'
         group by e.account_id, e.charge_id, l.currency)
      select coalesce(charge_id::text, account_id) as object_id, currency,
             coalesce(expected.amount, 0) as expected, coalesce(found.amount, 0) as found
        from expected full join found using (account_id, charge_id, currency)
       where coalesce(expected.amount, 0) <> coalesce(found.amount, 0)`,
  };
}
