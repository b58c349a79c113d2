-- Orders that ended without being fulfilled get a list of their own, counted like the others (see 0010_list_counts.sql): there
-- may be more of them than of the others, since most carts are never paid.

-- Nothing is written while the list is built, so that no ended order is missed.
lock table orders in share row exclusive mode;

create view listed_ended_orders as
  select account_id, null::text as label, ended_as as state, created_at, id from orders where ended_as is not null;

create index ended_orders_newest on orders (created_at desc, id desc) where ended_as is not null;
create index ended_orders_by_ending on orders (ended_as, created_at desc, id desc) where ended_as is not null;
create index ended_orders_by_account on orders (account_id, created_at desc, id desc) where ended_as is not null;
create index ended_orders_by_account_ending on orders (account_id, ended_as, created_at desc, id desc)
  where ended_as is not null;

-- One index finds an externalId, of one account or of any, as it does for charges.
drop index orders_external_id;
create unique index orders_external_id on orders (external_id, account_id) where external_id is not null;

insert into list_rollups (list, by_account, by_label, by_state, only_for_large) values
  ('ended_orders', false, false, false, null),
  ('ended_orders', false, false, true,  null),
  ('ended_orders', true,  false, false, null),
  ('ended_orders', true,  false, true,  'account');

insert into list_changes (list, account_id, label, state, tick, delta)
  select 'ended_orders', account_id, '', ended_as, tick_of(created_at), count(*)
    from orders where ended_as is not null group by account_id, ended_as, tick_of(created_at);

-- An order is in one of the two lists, and changes over when it ends or when money that came later brings it back.
create or replace function record_order_changes() returns trigger language plpgsql as $$
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

create or replace function clear_list_counts() returns trigger language plpgsql as $$
begin
  delete from list_changes where list in (tg_table_name, 'ended_' || tg_table_name);
  delete from list_counts where list in (tg_table_name, 'ended_' || tg_table_name);
  return null;
end
$$;

-- The statements of 0012_list_pages.sql, generated again with the combinations of the new list.
do $$
declare
  branch constant text := E'\n    when %L then return %s;';
  count_branches text;
  ids_branches text;
begin
  select string_agg(format(branch, key, format('(select count(*) %s)', matching)), ''),
         string_agg(format(branch, key, format('array(select id %s order by created_at desc, id desc offset skip limit size)',
                                               matching)), '')
    into count_branches, ids_branches
    from (select concat(list, ' ', by_account::int, by_label::int, by_state::int) as key,
                 format('from %I where %s%s%screated_at >= since and created_at < until', 'listed_' || list,
                        case when by_account then 'account_id = for_account and ' end,
                        case when by_label then 'label = for_label and ' end,
                        case when by_state then 'state = for_state and ' end) as matching
            from list_rollups) combinations;
  execute format('
    create or replace function count_rows(
      for_list text, for_account text, for_label text, for_state text, since timestamptz, until timestamptz
    ) returns bigint language plpgsql stable as $body$
    begin
      case concat(for_list, '' '', (for_account <> '''')::int, (for_label <> '''')::int, (for_state <> '''')::int)%s
      end case;
    end $body$', count_branches);
  execute format('
    create or replace function list_row_ids(
      for_list text, for_account text, for_label text, for_state text, since timestamptz, until timestamptz, skip bigint,
      size bigint
    ) returns uuid[] language plpgsql stable as $body$
    begin
      case concat(for_list, '' '', (for_account <> '''')::int, (for_label <> '''')::int, (for_state <> '''')::int)%s
      end case;
    end $body$', ids_branches);
end
$$;

-- What a caller writes on a charge for its own use. E-mail and phone of the payer are in `customer`.
alter table charges
  add column description text check (length(description) between 1 and 140),
  add column metadata    jsonb check (jsonb_typeof(metadata) = 'object');
