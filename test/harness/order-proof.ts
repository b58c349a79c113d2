// What must hold for every order whatever happened, read from the database and compared with the chains.

import { checkLedger } from '../../src/ledger/check.ts';
import { LEDGER_CHECKS } from '../../src/nouns.ts';
import { ENDINGS, STATUSES } from '../../src/orders/order.ts';
import type { Database } from '../../src/storage/database.ts';
import type { Service } from './service.ts';

/** What is wrong when all is quiet. Empty when each order was paid as its row says and each of its events was written once. */
export async function faultsOf(service: Service, db: Database): Promise<string[]> {
  const wrong = [
    await differences(db),
    await wrongTransfers(service),
    await wrongMoney(service),
    await wrongEvents(service),
  ];
  return wrong.flat();
}

/** Differences in the books, at any moment. */
export async function differences(db: Database): Promise<string[]> {
  const results = await checkLedger(db, LEDGER_CHECKS);
  const found = results.flatMap(result => result.differences);
  return found.map(({ check, objectId, ...of }) => `${check}: ${objectId} ${of.expected} ${of.found}`);
}

/**
 * Orders that have not ended, are not held, and wait neither for a payer nor for a timer. When all is quiet there must be
 * no such order.
 */
export async function stuckOrders(service: Service): Promise<string[]> {
  const rows = await service.sql<{ text: string }>(`
    select concat_ws(' ', t.id, t.status, c.state, p.state) as text
      from orders t
      left join charges c on c.id = t.charge_id and c.account_id = t.account_id
      left join payouts p on p.order_id = t.id and p.account_id = t.account_id and p.state not in ('reverted', 'voided')
     where t.ended_as is null and t.hold_reason is null
       and not (t.status = 'fulfilled' and p.state in ('done', 'final'))
       and not (t.status = 'pending_payment' and c.state in ('CREATING', 'ACTIVE', 'OVERDUE'))
       and not exists (select from order_timers w where w.order_id = t.id and w.account_id = t.account_id)
       and not (t.status = 'pending_fulfillment' and exists (
         select from charge_timers w where w.charge_id = c.id and w.account_id = c.account_id and w.kind = 'settle'))`);
  return rows.map(({ text }) => text);
}

/** An order that is fulfilled was paid once, to the unit; any other was not paid. Nothing else moved. */
async function wrongTransfers(service: Service): Promise<string[]> {
  const rows = await service.sql<{ text: string }>(`
    with moved as (
      select p.order_id, count(*) as times, sum(m.units) as units, min(m.destination) as destination
        from sandbox_chain_transactions m
        join payouts p on p.network = m.network and p.sender = m.sender and p.nonce = m.nonce
       where not m.reverts and m.destination is not null group by p.order_id),
    paid as (
      select t.id, t.wallet_address, p.units, concat_ws(' ', t.status, t.hold_reason, t.ended_as) as standing,
             (t.status = 'fulfilled' and t.ended_as is null and p.id is not null)::int as expected
        from orders t
        left join payouts p
          on p.order_id = t.id and p.account_id = t.account_id and p.state in ('done', 'final'))
    select concat_ws(' ', paid.id, standing, 'moved', coalesce(times, 0), 'times', moved.units, paid.units) as text
      from paid left join moved on moved.order_id = paid.id
     where coalesce(times, 0) <> expected or moved.units <> paid.units or destination <> wallet_address
     union all
    select concat_ws(' ', m.hash, 'belongs to no order')
      from sandbox_chain_transactions m
     where not exists (select from payout_attempts a where a.hash = m.hash)`);
  return rows.map(({ text }) => text);
}

/** Money is not refunded once its crypto is being sent or was sent. */
async function wrongMoney(service: Service): Promise<string[]> {
  const rows = await service.sql<{ text: string }>(`
    select concat_ws(' ', t.id, t.status, 'keeps', kept, 'of', t.due_cents) as text
      from orders t
      join payouts p on p.order_id = t.id and p.account_id = t.account_id and p.state not in ('reverted', 'voided')
     cross join lateral (
       select (select coalesce(sum(amount_cents), 0) from payments where charge_id = t.charge_id)
            - (select coalesce(sum(amount_cents), 0) from refunds where charge_id = t.charge_id and status <> 'FAILED') as kept)
     where kept < t.due_cents or t.committed_cents is distinct from t.due_cents`);
  return rows.map(({ text }) => text);
}

/** Events that an order has at most once. */
const ONCE = [...STATUSES, ...ENDINGS].map(word => `'crypto_transaction.${word}'`).join(', ');

async function wrongEvents(service: Service): Promise<string[]> {
  const rows = await service.sql<{ text: string }>(`
    select concat_ws(' ', object_id, 'has a gap in its events') as text
      from events group by object_id having count(*) <> max(sequence) or min(sequence) <> 1
     union all
    select concat_ws(' ', object_id, 'has twice', type)
      from events where type in (${ONCE}) group by object_id, type having count(*) > 1
     union all
    select concat_ws(' ', object_id, 'has events out of order in the feed')
      from (select e.object_id, e.sequence, lag(e.sequence) over (partition by e.object_id order by p.position) as before
              from event_positions p join events e on e.id = p.event_id) listed
     where sequence < before
     union all
    select concat_ws(' ', id, 'has a wrong event count')
      from orders t where event_count <> (select count(*) from events where object_id = t.id)`);
  return rows.map(({ text }) => text);
}
