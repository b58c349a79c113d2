// The SQL that compares the ledger with the orders: committed crypto, sent crypto, fees, and the reais that paid for it.
import { NETWORKS_OF, SYMBOLS } from '../chains/asset.ts';
import { decimalsOf } from '../chains/networks.ts';
import type { EntryKind } from '../ledger/entry.ts';
import type { LedgerCheck } from '../ledger/store-check.ts';
import { COINS } from '../payouts/store/ledger-check.ts';

/** Every asset with its decimals, as rows. */
const ASSETS = SYMBOLS.flatMap(symbol =>
  NETWORKS_OF[symbol].map(network => `('${symbol}', '${network}', ${decimalsOf(symbol, network)})`),
).join(', ');

/** Each order with its committed and its sent units of the asset. */
const ORDERS = `
  select t.account_id, t.id, t.symbol || '.' || t.network as asset, t.committed_cents, t.committed_fee_cents,
         case when t.commitment_id is null then 0 else t.quantity * 10::numeric ^ asset.decimals end as promised,
         coalesce(gone.units, 0) as gone, coalesce(gone.fee_units, 0) as network_fee, coin.currency as coin,
         t.status, t.hold_reason, t.settled_as, t.event_count, t.charge_id, t.commitment_id
    from orders t
    join (values ${ASSETS}) as asset (symbol, network, decimals)
      on asset.symbol = t.symbol and asset.network = t.network
    join (values ${COINS}) as coin (network, currency) on coin.network = t.network
    left join (select order_id, account_id,
                      sum(case state when 'mismatched' then left_units else units end)
                        filter (where state in ('done', 'final', 'mismatched')) as units,
                      sum(fee_units) as fee_units
                 from payouts group by order_id, account_id) as gone
      on gone.order_id = t.id and gone.account_id = t.account_id`;

const ORDER_KINDS: readonly EntryKind[] = ['commitment', 'release', 'payout', 'payout_undone'];
const FEE_KINDS: readonly EntryKind[] = ['network_fee', 'network_fee_corrected'];

/** What the charge of order `o` commits: the crypto was sent, and no operator decided to return the money. */
const COMMITTED = `case when o.status in ('fulfilling', 'fulfilled') and o.settled_as is distinct from 'returned'
                      then coalesce(o.committed_cents, 0) else 0 end`;

export const ORDER_LEDGER_CHECKS: readonly LedgerCheck[] = [
  check('promised crypto is in crypto_owed', 'crypto_owed', 'asset', 'gone - promised'),
  check('crypto that left is in crypto_paid', 'crypto_paid', 'asset', '-gone'),
  check('fees of networks are in network_fee', 'network_fee', 'coin', 'network_fee', FEE_KINDS),
  check('fees of orders are in fee', 'fee', `'BRL'`, '-coalesce(committed_fee_cents, 0)'),
  check('reais that became crypto are taken from payer', 'payer', `'BRL'`, 'coalesce(committed_cents, 0)'),
  {
    name: 'no crypto left twice',
    sql: `select id::text as object_id, asset as currency, promised as expected, gone as found
            from (${ORDERS}) orders where gone > promised and settled_as is null`,
  },
  {
    name: 'what is fulfilled has left',
    // Demo data has neither events nor a transfer.
    sql: `select id::text as object_id, asset as currency, promised as expected, gone as found
            from (${ORDERS}) orders
           where status = 'fulfilled' and hold_reason is null and event_count > 0 and gone <> promised and settled_as is null`,
  },
  {
    name: 'money that became crypto cannot go back',
    sql: `select c.id::text as object_id, 'BRL' as currency,
                 ${COMMITTED} as expected,
                 c.committed_cents as found
            from charges c join (${ORDERS}) o on o.charge_id = c.id and o.account_id = c.account_id
           where c.committed_cents
                 <> ${COMMITTED}`,
  },
];

/** Compares the sum of a book per order with the orders. */
function check(
  name: string,
  book: string,
  currency: string,
  amount: string,
  kinds: readonly EntryKind[] = ORDER_KINDS,
): LedgerCheck {
  const among = kinds.map(kind => `'${kind}'`).join(', ');
  return {
    name,
    sql: `
      with expected as (
        select account_id, id, ${currency} as currency, ${amount} as amount from (${ORDERS}) orders where ${amount} <> 0),
      found as (
        select e.account_id, e.order_id as id, l.currency, sum(l.amount) as amount
          from ledger_entries e
          join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id
         where e.kind in (${among}) and l.book = '${book}' and (e.order_id is not null or e.kind not like 'network_fee%')
         group by e.account_id, e.order_id, l.currency)
      select coalesce(id::text, account_id) as object_id, currency,
             coalesce(expected.amount, 0) as expected, coalesce(found.amount, 0) as found
        from expected full join found using (account_id, id, currency)
       where coalesce(expected.amount, 0) <> coalesce(found.amount, 0)`,
  };
}
