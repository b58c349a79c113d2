// The SQL that compares the ledger with the charges: payments, paid boletos not credited yet, refunds, blocked and settled money, bank fees.
import type { Book, EntryKind } from '../../ledger/entry.ts';
import type { LedgerCheck } from '../../ledger/store-check.ts';
import { methodsThat } from '../../rails/abilities.ts';

const OF_MONEY: readonly EntryKind[] = [
  'payment',
  'settlement',
  'refund',
  'refund_undone',
  'dispute_opened',
  'dispute_ended',
];
const DONE = `status = 'DONE'`;
const CREDITED_LATER = methodsThat(({ isCreditedLater }) => isCreditedLater)
  .map(method => `'${method}'`)
  .join(', ');
/** Payments that the bank has not credited yet: the first one of a charge, by boleto, before its settlement. */
const OWED_BY_BANK = `
  select p.account_id, p.charge_id, p.amount_cents, coalesce(p.fee_cents, 0) as fee_cents
    from payments p
    join charge_methods m
      on m.charge_id = p.charge_id and m.account_id = p.account_id and m.method = p.method and m.status = 'PAID'
   where p.method in (${CREDITED_LATER}) and not p.is_repeat`;

/** Returns that are pending because of a dispute: the bank has blocked their money. */
const BLOCKED = `select account_id, charge_id, amount_cents from disputes where status = 'open'`;

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
    'disputed money is in blocked',
    'blocked',
    `select account_id, charge_id, amount_cents as amount from (${BLOCKED}) disputed`,
  ),
  check(
    'the rest is in settled',
    'settled',
    `select account_id, charge_id, amount_cents as amount from payments
     union all
     select account_id, charge_id, -amount_cents from (${OWED_BY_BANK}) owed
     union all
     select account_id, charge_id, -amount_cents from refunds where ${DONE}
     union all
     select account_id, charge_id, -amount_cents from (${BLOCKED}) disputed`,
  ),
  {
    name: 'disputes agree with their returns',
    sql: `select d.id::text as object_id, 'BRL' as currency, d.amount_cents as expected, r.amount_cents as found
            from disputes d join refunds r on r.id = d.refund_id and r.account_id = d.account_id
           where d.amount_cents <> r.amount_cents
              or r.status <> case d.status when 'open' then 'PENDING' when 'won' then 'FAILED' else 'DONE' end`,
  },
  check(
    'what banks kept is in bank_fee',
    'bank_fee',
    `select account_id, charge_id, coalesce(fee_cents, 0) as amount from payments
     union all
     select account_id, charge_id, -fee_cents from (${OWED_BY_BANK}) owed`,
    ['bank_fee'],
  ),
];

/**
 * Compares the sum of a book per charge with the charges. It skips the entries of orders, which use some of these books
 * too.
 */
function check(name: string, book: Book, parts: string, kinds: readonly EntryKind[] = OF_MONEY): LedgerCheck {
  const among = kinds.map(kind => `'${kind}'`).join(', ');
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
         where e.kind in (${among}) and l.book = '${book}'
         group by e.account_id, e.charge_id, l.currency)
      select coalesce(charge_id::text, account_id) as object_id, currency,
             coalesce(expected.amount, 0) as expected, coalesce(found.amount, 0) as found
        from expected full join found using (account_id, charge_id, currency)
       where coalesce(expected.amount, 0) <> coalesce(found.amount, 0)`,
  };
}
