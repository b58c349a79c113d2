-- Counted lists: an exact total and any page of the lists of orders and charges, without reading the rows before the page. This
-- file has the counts and how changes are recorded; 0016 merges changes into the counts; 0017 finds pages.
-- The idea, with a drawing: docs/decisions/0024-exact-pages.md.

-- The rows of each list with the three columns that a list is filtered by. The label is what this list has besides account and
-- state: the symbol of an order, the source key of a charge. An order is in one of two lists, and changes over when it ends or when money
-- that came later brings it back. The functions below find a view by the name of its list.
create view listed_orders as
  select account_id, symbol as label, status as state, created_at, id from orders where ended_as is null;
create view listed_ended_orders as
  select account_id, null::text as label, ended_as as state, created_at, id from orders where ended_as is not null;
create view listed_charges as
  select account_id, source_key as label, state, created_at, id from charges;

-- Time is counted in ticks: eighths of a second since the year 0000, the earliest that a caller may name. Floating point is exact
-- for whole milliseconds to the year 9999; an interval of whole seconds is multiplied exactly as far.
create function tick_of(at timestamptz) returns bigint
  language sql stable strict parallel safe
  return floor(date_part('epoch', at) * 8)::bigint + 497337753600;
create function tick_start(tick bigint) returns timestamptz
  language sql stable strict parallel safe
  return timestamptz 'epoch' + (tick / 8 - 62167219200) * interval '1 second' + tick % 8 * interval '125 milliseconds';

-- A bucket of a level is 2 ^ bucket_bits(level) ticks long: all time, 7 weeks, 36 hours, 68 minutes, 128 seconds, 4 seconds, one
-- tick. So `tick >> bucket_bits(level)` is the bucket of a tick. Level 6 is the last; its buckets are never split.
-- Not strict: PostgreSQL does not inline a strict function here, and every use would be a call.
create function bucket_bits(level integer) returns integer
  language sql immutable parallel safe
  return (array[42, 25, 20, 15, 10, 5, 0])[level + 1];

-- A bucket with more rows than this is split: a reader may have to pass that many rows one by one.
create function split_threshold() returns bigint language sql immutable parallel safe return 500::bigint;

-- The combinations of filters that are counted. Most accounts and labels have few rows, which are counted when a caller asks. So
-- a combination with `only_for_large` is counted only for accounts (or labels) with more rows than the threshold: those whose
-- own first bucket is split.
create table list_rollups (
  list           text not null,
  by_account     boolean not null,
  by_label       boolean not null,
  by_state       boolean not null,
  only_for_large text check (only_for_large in ('account', 'label')),
  primary key (list, by_account, by_label, by_state)
);
insert into list_rollups (list, by_account, by_label, by_state, only_for_large) values
  ('orders',  false, false, false, null),
  ('orders',  false, true,  false, null),
  ('orders',  false, false, true,  null),
  ('orders',  false, true,  true,  null),
  ('orders',  true,  false, false, null),
  ('orders',  true,  true,  false, 'account'),
  ('orders',  true,  false, true,  'account'),
  ('orders',  true,  true,  true,  'account'),
  ('charges', false, false, false, null),
  ('charges', false, false, true,  null),
  ('charges', true,  false, false, null),
  ('charges', false, true,  false, null),
  ('charges', true,  true,  false, 'account'),
  ('charges', true,  false, true,  'account'),
  ('charges', true,  true,  true,  'account'),
  ('charges', false, true,  true,  'label'),
  ('ended_orders', false, false, false, null),
  ('ended_orders', false, false, true,  null),
  ('ended_orders', true,  false, false, null),
  ('ended_orders', true,  false, true,  'account');

-- How many rows one bucket has, for one combination of filters. An empty text means any value. When a bucket is split, its parts
-- on the next level have rows here too. A bucket that is missing is empty, or lies within a bucket that is not split.
create table list_counts (
  list       text not null,
  account_id text not null,
  label      text not null,
  state      text not null,
  level      smallint not null,
  bucket     bigint not null,
  row_count  bigint not null,
  is_split   boolean not null default false,
  primary key (list, account_id, label, state, level, bucket)
) with (fillfactor = 80);

-- Buckets that have grown beyond the threshold and wait to be split.
create table list_buckets_to_split (
  list       text not null,
  account_id text not null,
  label      text not null,
  state      text not null,
  level      smallint not null,
  bucket     bigint not null,
  primary key (list, account_id, label, state, level, bucket)
);

-- Changes that are not merged into the counts yet. Writers only insert here, so they never wait for each other.
-- Autovacuum must not wait for a share of the table's size: it fills and empties all the time.
create table list_changes (
  list       text not null,
  account_id text not null,
  label      text not null,
  state      text not null,
  tick       bigint not null,
  delta      integer not null,
  xid        xid8 not null default pg_current_xact_id()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index list_changes_by_xid on list_changes (xid);

-- Locked by the node that merges. Changes of transactions before `merged_before` are all merged, so a reader can skip the dead
-- rows that they left behind. That only saves time: what makes counting right is that a merged change is deleted.
create table list_merge (
  only_one      boolean primary key default true check (only_one),
  merged_before xid8 not null
);
insert into list_merge (merged_before) values ('0');

-- Transaction ids start again in a database that was restored on another server: then every change is read.
create function first_unmerged_xid() returns xid8
  language sql stable
  return (select case when merged_before <= pg_snapshot_xmin(pg_current_snapshot()) then merged_before else '0' end
            from list_merge);

-- Recording changes. Triggers cover every writer, a person at a prompt too. Inserted rows are recorded one by one, without
-- grouping: that would cost the writer three times as much, and merging groups them anyway.
create function record_order_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (list, account_id, label, state, tick, delta)
      select case when ended_as is null then 'orders' else 'ended_orders' end, account_id,
             case when ended_as is null then symbol else '' end, coalesce(ended_as, status), tick_of(created_at), 1
        from new_rows;
  elsif tg_op = 'DELETE' then
    insert into list_changes (list, account_id, label, state, tick, delta)
      select case when ended_as is null then 'orders' else 'ended_orders' end, account_id,
             case when ended_as is null then symbol else '' end, coalesce(ended_as, status), tick_of(created_at), -count(*)
        from old_rows group by 1, 2, 3, 4, 5;
  else
    insert into list_changes (list, account_id, label, state, tick, delta)
      select case when ended_as is null then 'orders' else 'ended_orders' end, account_id,
             case when ended_as is null then symbol else '' end, coalesce(ended_as, status), tick_of(created_at), sum(change)
        from (select account_id, symbol, status, ended_as, created_at, 1 as change from new_rows
              union all
              select account_id, symbol, status, ended_as, created_at, -1 from old_rows) changed
       group by 1, 2, 3, 4, 5 having sum(change) <> 0;
  end if;
  return null;
end
$$;
create trigger orders_record_inserts after insert on orders
  referencing new table as new_rows for each statement execute function record_order_changes();
create trigger orders_record_updates after update on orders
  referencing new table as new_rows old table as old_rows for each statement execute function record_order_changes();
create trigger orders_record_deletes after delete on orders
  referencing old table as old_rows for each statement execute function record_order_changes();

create function record_charge_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_changes (list, account_id, label, state, tick, delta)
      select 'charges', account_id, coalesce(source_key, ''), state, tick_of(created_at), 1 from new_rows;
  elsif tg_op = 'DELETE' then
    insert into list_changes (list, account_id, label, state, tick, delta)
      select 'charges', account_id, coalesce(source_key, ''), state, tick_of(created_at), -count(*)
        from old_rows group by account_id, source_key, state, tick_of(created_at);
  else
    insert into list_changes (list, account_id, label, state, tick, delta)
      select 'charges', account_id, coalesce(source_key, ''), state, tick_of(created_at), sum(change)
        from (select account_id, source_key, state, created_at, 1 as change from new_rows
              union all
              select account_id, source_key, state, created_at, -1 from old_rows) changed
       group by account_id, source_key, state, tick_of(created_at) having sum(change) <> 0;
  end if;
  return null;
end
$$;
create trigger charges_record_inserts after insert on charges
  referencing new table as new_rows for each statement execute function record_charge_changes();
create trigger charges_record_updates after update on charges
  referencing new table as new_rows old table as old_rows for each statement execute function record_charge_changes();
create trigger charges_record_deletes after delete on charges
  referencing old table as old_rows for each statement execute function record_charge_changes();

-- `truncate` does not show its rows to a trigger; the list is empty afterwards, and so are its counts.
create function clear_list_counts() returns trigger language plpgsql as $$
begin
  delete from list_changes where list in (tg_table_name, 'ended_' || tg_table_name);
  delete from list_counts where list in (tg_table_name, 'ended_' || tg_table_name);
  return null;
end
$$;
create trigger orders_clear_counts after truncate on orders
  for each statement execute function clear_list_counts();
create trigger charges_clear_counts after truncate on charges
  for each statement execute function clear_list_counts();
