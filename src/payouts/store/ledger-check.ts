// The SQL that compares the ledger with cold sweeps and top-ups, which have no owner: the amounts sent and their fees.
import { NETWORKS } from '../../chains/asset.ts';
import { coinCurrency } from '../../ledger/currency.ts';
import type { EntryKind } from '../../ledger/entry.ts';
import type { LedgerCheck } from '../../ledger/store-check.ts';

/** Every network with the currency of its coin, as rows. */
export const COINS = NETWORKS.map(network => `('${network}', '${coinCurrency(network)}')`).join(', ');

/** Each cold sweep with the amount that left and the network fee. */
const SWEEPS = `
  select p.account_id, p.id, p.symbol || '.' || p.network as asset, coin.currency as coin,
         case when p.is_top_up then 0 else p.gone end as swept, case when p.is_top_up then p.gone else 0 end as topped_up,
         coalesce(p.fee_units, 0) as network_fee
    from (select *, case when state in ('done', 'final') then units when state = 'mismatched' then left_units else 0 end as gone
            from payouts where order_id is null) p
    join (values ${COINS}) as coin (network, currency) on coin.network = p.network`;

export const OWN_TRANSFER_LEDGER_CHECKS: readonly LedgerCheck[] = [
  check('what was swept is in cold_wallet', 'cold_wallet', 'asset', 'swept', ['cold_sweep', 'cold_sweep_undone']),
  check('what was topped up is in own_senders', 'own_senders', 'asset', 'topped_up', ['top_up', 'top_up_undone']),
  check('fees of sweeps are in network_fee', 'network_fee', 'coin', 'network_fee', [
    'network_fee',
    'network_fee_corrected',
  ]),
];

/** Compares the sum of a book for each payout with the sweeps. */
function check(name: string, book: string, currency: string, amount: string, kinds: readonly EntryKind[]): LedgerCheck {
  return {
    name,
    sql: `
      with expected as (
        select account_id, id, ${currency} as currency, ${amount} as amount from (${SWEEPS}) sweeps where ${amount} <> 0),
      found as (
        select e.account_id, e.cause_id as id, l.currency, sum(l.amount) as amount
          from ledger_entries e
          join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id
         where e.kind in (${kinds.map(kind => `'${kind}'`).join(', ')}) and e.order_id is null and l.book = '${book}'
         group by e.account_id, e.cause_id, l.currency)
      select id::text as object_id, currency,
             coalesce(expected.amount, 0) as expected, coalesce(found.amount, 0) as found
        from expected full join found using (account_id, id, currency)
       where coalesce(expected.amount, 0) <> coalesce(found.amount, 0)`,
  };
}
