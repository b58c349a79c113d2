-- The rows of 0.2.0, copied into the tables of the baseline. Counts of lists and balances of books are not copied: the triggers record
-- each copied row, and the service merges what they recorded.

-- Rows that the baseline has made and that 0.2.0 brings itself.
delete from event_feed;
delete from event_readers;
delete from sandbox_clock;
delete from sandbox_chains;

-- Tables whose rows stay as they are; a column that 0.2.0 did not have gets its default.
do $$
declare
  item text;
  columns text;
begin
  foreach item in array array[
    'installation', 'audit_inbox', 'audit_log', 'accounts', 'api_keys', 'idempotency_keys',
    'events', 'event_feed', 'event_positions', 'event_readers', 'webhooks', 'webhook_deliveries', 'webhook_attempts', 'webhook_replays',
    'ledger_entries', 'ledger_lines', 'charges', 'charge_timers', 'wallets', 'quotes', 'orders', 'quote_uses', 'order_timers',
    'chain_senders', 'payouts', 'payout_attempts', 'sandbox_clock', 'sandbox_chains', 'sandbox_chain_transactions'
  ] loop
    select string_agg(quote_ident(attname), ', ' order by attnum) into columns
      from pg_attribute
     where attrelid = format('trilho_0_2_0.%I', item)::regclass and attnum > 0 and not attisdropped;
    execute format('insert into %1$I (%2$s) select %2$s from trilho_0_2_0.%1$I', item, columns);
  end loop;
end
$$;

-- Events that have no position yet. The trigger of `events` has queued those that have one, too.
delete from unpositioned_events;
insert into unpositioned_events (number, event_id, account_id, type, object_id) overriding system value
select number, event_id, account_id, type, object_id from trilho_0_2_0.unpositioned_events;
select setval('unpositioned_events_number_seq', greatest(
  (select last_value from unpositioned_events_number_seq),
  (select last_value from trilho_0_2_0.unpositioned_events_number_seq)));

-- Its cursors show the position of the feed: they are taken up to here.
update event_cursors set plain_upto = (select position from event_feed);

-- A dump of this database that is upgraded again comes to the same id.
update installation set id = md5(mode || extract(epoch from created_at))::uuid;

-- Keys were made at the command line only. Those whose line is in the audit log and whose scopes go beyond an account reach all of them.
update api_keys k
   set created_by = made.actor,
       reach = case when k.scopes && array['payments:read', 'payments:write', 'transfers:write', 'metrics:read']
                    then 'all_accounts' else 'account' end
  from (select object_id, action, actor from audit_log
        union all
        select object_id, action, actor from audit_inbox) as made
 where made.object_id = k.id and made.action = 'trilho keys create' and made.actor = 'operator';

-- References are kept in one spelling: NFKC, without characters that cannot be seen, with single spaces. Those of plain ASCII with
-- single spaces are in it already.
create function trilho_0_2_0.normal_reference(reference text) returns text language sql as $$
  select case when reference ~ '^[!-~]+( [!-~]+)*$' then reference else coalesce(
    nullif(
      left(
        btrim(regexp_replace(
          normalize(
            regexp_replace(
              normalize(reference, nfkc),
              '[\u0001-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff]',
              '', 'g'),
            nfkc),
          '\s+', ' ', 'g')),
        255),
      ''),
    reference) end
$$;

-- By which the rail knows a method was part of what the payer pays with.
insert into charge_methods (charge_id, account_id, method, rail, status, instrument, reason, submitted_at, updated_at, reference)
select charge_id, account_id, method, rail, status, instrument - 'txid' - 'ourNumber', reason, submitted_at, updated_at,
       coalesce(instrument ->> 'txid', instrument ->> 'ourNumber')
  from trilho_0_2_0.charge_methods;

-- A payment counts once on its rail, however its reference is spelled. Payments that were recorded once for each spelling all stay: the
-- later ones get a reference of their own.
insert into payments (id, account_id, charge_id, method, amount_cents, paid_at, source, reference, timing, is_repeat, came_after,
                      recorded_at, rail)
select id, account_id, charge_id, method, amount_cents, paid_at, source,
       case when place = 1 then normal else left(normal, 200) || ' ' || id end, timing, is_repeat, came_after, recorded_at, rail
  from (select spelled.*, row_number() over (partition by rail, lower(normal collate "C")
                                             order by (reference = normal) desc, recorded_at, id) as place
          from (select p.*, m.rail, trilho_0_2_0.normal_reference(p.reference) as normal
                  from trilho_0_2_0.payments p
                  join trilho_0_2_0.charge_methods m using (charge_id, account_id, method)) spelled) placed;

-- Of orders whose crypto has not left: who reported a payment by hand does not approve its payout.
update payments p
   set reported_by = reports.actor
  from (select distinct on (paid.id) paid.id, paid.account_id, made.actor
          from orders o
          join payments paid on paid.charge_id = o.charge_id and paid.account_id = o.account_id and paid.source = 'operator'
          join (select object_id, action, actor, at from audit_log
                union all
                select object_id, action, actor, at from audit_inbox) as made
            on made.action = 'POST /charges/:id/payments' and made.object_id = paid.charge_id::text
         where o.status in ('pending_payment', 'pending_fulfillment', 'fulfillment_scheduled')
         order by paid.id, abs(extract(epoch from made.at - paid.recorded_at))) as reports
 where reports.id = p.id and reports.account_id = p.account_id;

insert into refunds (id, account_id, charge_id, payment_id, amount_cents, status, reason, idempotency_key, content_hash, submitted_at,
                     created_at, updated_at)
select id, account_id, charge_id, payment_id, amount_cents, status, reason, idempotency_key, content_hash, submitted_at, created_at,
       updated_at
  from trilho_0_2_0.refunds;

-- Of receipts that become equal one takes the common spelling; the others wait as they are.
insert into unmatched_receipts (reference, posted_at, amount_cents, txid, words, recorded_at)
select case when place = 1 then normal else reference end, posted_at, amount_cents, txid, words, recorded_at
  from (select spelled.*, row_number() over (partition by normal order by (reference = normal) desc, recorded_at, reference) as place
          from (select r.*, trilho_0_2_0.normal_reference(r.reference) as normal from trilho_0_2_0.unmatched_receipts r) spelled) placed;

-- Each network has a queue of jobs of its own now: payouts whose job waits in the old one are looked up at once.
update payouts set next_look_at = now() where state in ('open', 'done') and next_look_at is null;

-- Without «cascade»: a view of somebody else on these tables ends the upgrade, and is not dropped silently.
do $$
begin
  drop view trilho_0_2_0.listed_charges, trilho_0_2_0.listed_orders;
  drop function trilho_0_2_0.first_unmerged_xid;
  execute (select 'drop table ' || string_agg(oid::regclass::text, ', ')
             from pg_class where relnamespace = 'trilho_0_2_0'::regnamespace and relkind = 'r');
end
$$;
drop schema trilho_0_2_0 cascade;
