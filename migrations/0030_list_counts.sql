-- Exact totals and any page of a list without reading the rows before it: how many rows a list has is kept, for every
-- combination of its filters, in a tree of stretches of time. See docs/decisions/0024-exact-pages.md.

-- The rows of each list by what they are filtered by; `a` is always the account.
create view crypto_transactions_listed as
  select account_id as a, symbol as b, status as c, created_at, id from crypto_transactions where ended_as is null;
create view charges_listed as
  select account_id as a, source_key as b, state as c, created_at, id from charges;

-- Each combination finds its rows, in order, in an index of its own: a rare one would else be looked for among many.
create index crypto_transactions_by_symbol_status on crypto_transactions (symbol, status, created_at desc, id desc)
  where ended_as is null;
drop index crypto_transactions_by_account;
create index crypto_transactions_by_account on crypto_transactions (account_id, created_at desc, id desc)
  where ended_as is null;
create index crypto_transactions_by_account_symbol on crypto_transactions (account_id, symbol, created_at desc, id desc)
  where ended_as is null;
create index crypto_transactions_by_account_status on crypto_transactions (account_id, status, created_at desc, id desc)
  where ended_as is null;
create index crypto_transactions_by_account_symbol_status
  on crypto_transactions (account_id, symbol, status, created_at desc, id desc) where ended_as is null;
create index charges_by_account_state on charges (account_id, state, created_at desc, id desc);
create index charges_by_source_key_state on charges (source_key, state, created_at desc, id desc)
  where source_key is not null;
create index charges_by_account_source_key on charges (account_id, source_key, created_at desc, id desc)
  where source_key is not null;
create index charges_by_account_source_key_state on charges (account_id, source_key, state, created_at desc, id desc)
  where source_key is not null;

-- Time in eighths of a second since the year 0000, the first that a bound may name. Floating point is exact enough for whole
-- milliseconds to the year 9999, and an interval of whole seconds is multiplied exactly as far.
create function tick_of(at timestamptz) returns bigint
  language sql stable strict parallel safe
  return floor(date_part('epoch', at) * 8)::bigint + 497337753600;
create function tick_start(tick bigint) returns timestamptz
  language sql stable strict parallel safe
  return timestamptz 'epoch' + (tick / 8 - 62167219200) * interval '1 second' + tick % 8 * interval '125 milliseconds';

-- How long a stretch of each level is, as a power of two of ticks: all time, 7 weeks, 36 hours, 68 minutes, 128 seconds,
-- 4 seconds, an eighth of a second. The last is not split any more.
create function tick_bits(level integer) returns integer
  language sql immutable strict parallel safe
  return (array[42, 25, 20, 15, 10, 5, 0])[level + 1];

-- The combinations that are counted. One with a `root` is counted only for values of that column whose rows are many: the
-- rows of the others are few enough to be counted when they are asked for.
create table list_rollups (
  list text not null,
  by_a boolean not null,
  by_b boolean not null,
  by_c boolean not null,
  root text check (root in ('a', 'b')),
  primary key (list, by_a, by_b, by_c)
);
insert into list_rollups (list, by_a, by_b, by_c, root) values
  ('crypto_transactions', false, false, false, null),
  ('crypto_transactions', false, true,  false, null),
  ('crypto_transactions', false, false, true,  null),
  ('crypto_transactions', false, true,  true,  null),
  ('crypto_transactions', true,  false, false, null),
  ('crypto_transactions', true,  true,  false, 'a'),
  ('crypto_transactions', true,  false, true,  'a'),
  ('crypto_transactions', true,  true,  true,  'a'),
  ('charges',             false, false, false, null),
  ('charges',             false, false, true,  null),
  ('charges',             true,  false, false, null),
  ('charges',             false, true,  false, null),
  ('charges',             true,  true,  false, 'a'),
  ('charges',             true,  false, true,  'a'),
  ('charges',             true,  true,  true,  'a'),
  ('charges',             false, true,  true,  'b');

-- One stretch of one combination; an empty word stands for any value. A stretch of many rows is split: its parts on the
-- level below are counted too. What is not there has no rows, or is part of a stretch that is not split.
create table list_counts (
  list     text not null,
  a        text not null,
  b        text not null,
  c        text not null,
  level    smallint not null,
  bucket   bigint not null,
  count    bigint not null,
  is_split boolean not null default false,
  primary key (list, a, b, c, level, bucket)
) with (fillfactor = 80);

-- Stretches that became large enough to be split.
create table list_dense (
  list   text not null,
  a      text not null,
  b      text not null,
  c      text not null,
  level  smallint not null,
  bucket bigint not null,
  primary key (list, a, b, c, level, bucket)
);

-- What changed and is not yet part of the counts. Only added to by those who write rows, so none of them waits for another.
create table list_deltas (
  list  text not null,
  a     text not null,
  b     text not null,
  c     text not null,
  tick  bigint not null,
  delta integer not null,
  xid   xid8 not null default pg_current_xact_id()
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
create index list_deltas_by_xid on list_deltas (xid);

-- Changes of transactions before `low` are all folded: who reads those that are not need not pass the remains of those
-- that were. It shortens the way and nothing else: changes leave their table when they are folded.
create table list_fold (
  only_one boolean primary key default true check (only_one),
  low      xid8 not null
);
insert into list_fold (low) values ('0');

-- In a database that was moved, transactions may count from anew: then every change is looked at.
create function list_fold_low() returns xid8
  language sql stable
  return (select case when low <= pg_snapshot_xmin(pg_current_snapshot()) then low else '0' end from list_fold);

create function count_crypto_transactions() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'crypto_transactions', account_id, symbol, status, tick_of(created_at), count(*)
        from new_rows where ended_as is null group by account_id, symbol, status, tick_of(created_at);
  elsif tg_op = 'DELETE' then
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'crypto_transactions', account_id, symbol, status, tick_of(created_at), -count(*)
        from old_rows where ended_as is null group by account_id, symbol, status, tick_of(created_at);
  else
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'crypto_transactions', account_id, symbol, status, tick_of(created_at), sum(change)
        from (select account_id, symbol, status, created_at, 1 as change from new_rows where ended_as is null
              union all
              select account_id, symbol, status, created_at, -1 from old_rows where ended_as is null) changed
       group by account_id, symbol, status, tick_of(created_at) having sum(change) <> 0;
  end if;
  return null;
end
$$;
create trigger crypto_transactions_counted_insert after insert on crypto_transactions
  referencing new table as new_rows for each statement execute function count_crypto_transactions();
create trigger crypto_transactions_counted_update after update on crypto_transactions
  referencing new table as new_rows old table as old_rows for each statement execute function count_crypto_transactions();
create trigger crypto_transactions_counted_delete after delete on crypto_transactions
  referencing old table as old_rows for each statement execute function count_crypto_transactions();

create function count_charges() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'charges', account_id, coalesce(source_key, ''), state, tick_of(created_at), count(*)
        from new_rows group by account_id, source_key, state, tick_of(created_at);
  elsif tg_op = 'DELETE' then
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'charges', account_id, coalesce(source_key, ''), state, tick_of(created_at), -count(*)
        from old_rows group by account_id, source_key, state, tick_of(created_at);
  else
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'charges', account_id, coalesce(source_key, ''), state, tick_of(created_at), sum(change)
        from (select account_id, source_key, state, created_at, 1 as change from new_rows
              union all
              select account_id, source_key, state, created_at, -1 from old_rows) changed
       group by account_id, source_key, state, tick_of(created_at) having sum(change) <> 0;
  end if;
  return null;
end
$$;
create trigger charges_counted_insert after insert on charges
  referencing new table as new_rows for each statement execute function count_charges();
create trigger charges_counted_update after update on charges
  referencing new table as new_rows old table as old_rows for each statement execute function count_charges();
create trigger charges_counted_delete after delete on charges
  referencing old table as old_rows for each statement execute function count_charges();

-- A table that is emptied at once tells of no row.
create function forget_counts() returns trigger language plpgsql as $$
begin
  delete from list_deltas where list = tg_table_name;
  delete from list_counts where list = tg_table_name;
  return null;
end
$$;
create trigger crypto_transactions_counted_truncate after truncate on crypto_transactions
  for each statement execute function forget_counts();
create trigger charges_counted_truncate after truncate on charges
  for each statement execute function forget_counts();
