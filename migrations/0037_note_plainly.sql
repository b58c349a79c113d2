-- A row that is written is noted as it is. Rows are written one by one, or many of different accounts: to sort and sum them up
-- first cost whoever writes three times as much, and folding sums them up anyway.
create or replace function count_crypto_transactions() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'crypto_transactions', account_id, symbol, status, tick_of(created_at), 1
        from new_rows where ended_as is null;
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

create or replace function count_charges() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into list_deltas (list, a, b, c, tick, delta)
      select 'charges', account_id, coalesce(source_key, ''), state, tick_of(created_at), 1 from new_rows;
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
