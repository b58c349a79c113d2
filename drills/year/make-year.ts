// Subscriptions made by SQL, as the service writes them: monthly, their days spread over four weeks from tomorrow on. Then months of cycles
// that are over, with their charges, payments, events and reminders, each further month before those that are there.
import type pg from 'pg';

/** A day's share of the subscriptions is due on each day of a move of the clock. */
export const DAYS = 28;
export const DAYS_AHEAD = 5;
const PAST_DUE_AFTER_DAYS = 5;
/** Of ten subscriptions one owes its last cycle. */
const IN_TEN = 10;
/** The number of the last cycle that has a charge: earlier months are inserted before it. */
const LAST = 12;

/** Where cycles of `i` begin: the first of them is charged at the next midnight, and the one it owes is past due then. */
const PLACE = `
  select i, subscription_id, customer_id, day, (day - ${DAYS_AHEAD})::timestamp at time zone 'America/Sao_Paulo' as next_at,
         i % ${IN_TEN} = 0 as owes, day - ${DAYS_AHEAD + PAST_DUE_AFTER_DAYS + 1} as owed_day
    from (select i, uuidv7(interval '-1 year') as subscription_id, uuidv7(interval '-1 year') as customer_id,
                 (now() at time zone 'America/Sao_Paulo')::date + ${1 + DAYS_AHEAD} + i % ${DAYS} as day
            from generate_series(1, $1::int) i) made`;

export async function makeSubscriptions(client: pg.Client, count: number): Promise<void> {
  await client.query(`insert into accounts (id, created_at) values ('acme', now())`);
  await client.query(`create table drill_places as ${PLACE}`, [count]);
  await client.query(`
    insert into plans (id, account_id, name, amount_cents, currency, interval, trial_days, methods, days_ahead, past_due_after_days,
                       unpaid_action, unpaid_after_days, description, content_hash, event_count, created_at, updated_at)
    values (uuidv7(interval '-2 years'), 'acme', 'Monthly', 9900, 'BRL', 'monthly', 0, '{pix}', ${DAYS_AHEAD}, ${PAST_DUE_AFTER_DAYS},
            'keep', 30, 'Monthly', '', 1, now(), now())`);
  await client.query(`
    insert into customers (id, account_id, name, document, type, is_separate, search, event_count, created_at, updated_at)
    select customer_id, 'acme', 'Customer ' || i, '52998224725', 'individual', true, to_tsvector('simple', 'customer ' || i), 1,
           now() - interval '1 year', now() from drill_places`);
  await client.query(`
    insert into subscriptions (id, account_id, plan_id, customer_id, status, amount_cents, currency, interval, day, methods,
                               days_ahead, past_due_after_days, unpaid_action, unpaid_after_days, description, next_at, content_hash,
                               event_count, created_at, updated_at)
    select subscription_id, 'acme', plans.id, customer_id, 'active', 9900, 'BRL', 'monthly', extract(day from p.day)::int, '{pix}',
           ${DAYS_AHEAD}, ${PAST_DUE_AFTER_DAYS}, 'keep', 30, 'Monthly', next_at, '', ${LAST},
           now() - interval '1 year', now() from drill_places p, plans`);
  await client.query(`
    insert into subscription_cycles (subscription_id, account_id, number, day, status)
    select subscription_id, 'acme', ${LAST + 1}, day, 'waiting' from drill_places`);
}

/** `from` and `to`: how many months ago, 1 for the last one. */
export async function addMonths(client: pg.Client, from: number, to: number): Promise<void> {
  for (let ago = from; ago <= to; ago++) {
    for (const text of ONE_MONTH) await client.query(text, text.includes('$1') ? [ago] : []);
  }
}

/** With the ids of the moment, so that pages of the tables and of their indexes are filled as the service fills them. */
const ONE_MONTH = [
  'drop table if exists drill_month',
  `create table drill_month as
     select p.*, n.number, uuidv7(due.at - now()) as charge_id, due.on_day, due.at as due_at, is_open
       from drill_places p
       cross join lateral (select ${LAST} + 1 - $1::int as number, $1::int = 1 and p.owes as is_open) n
       cross join lateral (select case when is_open then owed_day else (p.day - $1::int * interval '1 month')::date end as on_day) d
       cross join lateral (select d.on_day, (d.on_day + 1)::timestamp at time zone 'America/Sao_Paulo' - interval '1 second' as at) due
      order by due.at`,
  `insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, customer_id, subscription_id, cycle_number,
                        due_at, expire_at, content_hash, answer, created_at, state, event_count, description)
   select charge_id, 'acme', 9900, 'BRL', 9900, jsonb_build_object('name', 'Customer ' || i, 'document', '52998224725', 'type', 'individual'),
          customer_id, subscription_id, number, due_at, due_at + interval '30 days', sha256(charge_id::text::bytea), '{}',
          due_at - interval '${DAYS_AHEAD} days', case when not is_open then 'PAID' when due_at < now() then 'OVERDUE' else 'ACTIVE' end, 1,
          'Monthly'
     from drill_month`,
  `insert into charge_methods (charge_id, account_id, method, rail, status, reference, instrument, updated_at)
   select charge_id, 'acme', 'pix', 'sandbox', case when is_open then 'ACTIVE' else 'PAID' end, replace(charge_id::text, '-', ''),
          '{"emv":""}', due_at from drill_month`,
  `insert into charge_timers (charge_id, account_id, kind, at)
   select charge_id, 'acme', 'overdue', due_at from drill_month where is_open and due_at > now()
   union all
   select charge_id, 'acme', 'expire', due_at + interval '30 days' from drill_month where is_open`,
  `insert into payments (id, account_id, charge_id, method, rail, amount_cents, paid_at, source, reference, timing, is_repeat, recorded_at)
   select uuidv7(due_at - now()), 'acme', charge_id, 'pix', 'sandbox', 9900, due_at, 'drill', charge_id::text, 'on_time', false, due_at
     from drill_month where not is_open`,
  `insert into subscription_cycles (subscription_id, account_id, number, day, status, amount_cents, currency, due_day, charge_id, paid_at)
   select subscription_id, 'acme', number, (day - $1::int * interval '1 month')::date, case when is_open then 'open' else 'paid' end, 9900,
          'BRL', on_day, charge_id, case when not is_open then due_at end from drill_month`,
  `update subscriptions s set next_at = least(s.next_at, (m.on_day + ${PAST_DUE_AFTER_DAYS + 1})::timestamp at time zone 'America/Sao_Paulo')
     from drill_month m where m.is_open and s.id = m.subscription_id`,
  `insert into reminders (id, account_id, charge_id, occasion, days, due_day, reason, channels, status, due_at, created_at, updated_at)
   select uuidv7(due_at - now()), 'acme', charge_id, 'before', ${DAYS_AHEAD}, on_day, 'before:${DAYS_AHEAD}:' || on_day, '{event}',
          'ANNOUNCED', due_at, due_at, due_at from drill_month`,
  // They get their positions here: the trigger that queues them is off.
  `with made as (
     insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
     select uuidv7(due_at - now()), 'acme', kind.type, kind.object_id, kind.sequence, due_at, jsonb_build_object('id', kind.object_id)
       from drill_month
       cross join lateral (values ('subscription.charged', subscription_id, number), ('charge.paid', charge_id, 1)) as kind (type, object_id, sequence)
     returning id, type, object_id)
   insert into event_positions (position, event_id, account_id, type, object_id)
   select (select position from event_feed) + row_number() over (order by id), id, 'acme', type, object_id from made`,
  'update event_feed set position = (select max(position) from event_positions)',
  'update event_readers set position = (select position from event_feed)',
  'update reminder_rules set feed_position = (select position from event_feed) where feed_position is not null',
  'drop table drill_month',
];
