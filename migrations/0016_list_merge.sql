-- Counted lists, in the background: recorded changes are merged into the counts, and buckets that have grown are split.
create type list_change as (list text, account_id text, label text, state text, tick bigint, delta integer);

-- Splits large buckets by counting their parts in the tables themselves, until about `row_budget` rows were read. Right only in a
-- snapshot in which no change is pending: there counts and tables agree. The settings force the index of the combination, whose
-- order is the list's; buckets are looked up by their keys.
create function split_list_buckets(row_budget bigint) returns void language plpgsql
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_nestloop = on
  set random_page_cost = 0
  set seq_page_cost = 0
  set jit = off
as $$
declare
  large record;
  rollup record;
  rows_left bigint := row_budget;
  deepest integer;
  parts list_change[];
begin
  loop
    exit when rows_left <= 0 or not exists (select from list_buckets_to_split);
    -- A hundred at a time: taking them one by one would search the deleted rows at the head of the table over and over.
    for large in
      with taken as (
        delete from list_buckets_to_split
         where ctid = any (array(select ctid from list_buckets_to_split limit 100)) returning *)
      select n.*, format('from %I where true%s%s%s', 'listed_' || n.list,
                         case when n.account_id <> '' then format(' and account_id = %L', n.account_id) end,
                         case when n.label <> '' then format(' and label = %L', n.label) end,
                         case when n.state <> '' then format(' and state = %L', n.state) end) as matching
        from taken join list_counts n using (list, account_id, label, state, level, bucket)
       where n.row_count > split_threshold() and not n.is_split
    loop
      -- One pass over the rows counts the parts of several levels at once.
      deepest := case when large.level = 0 then 2
                      when large.row_count > 32 * split_threshold() then least(large.level + 2, 6)
                      else large.level + 1 end;
      execute format(
        'select array(select (%1$L, %2$L, %3$L, %4$L, tick_of(created_at) >> %5$s << %5$s, count(*)::integer)::list_change
                        %6$s and created_at >= tick_start(%7$s) and created_at < tick_start(%8$s)
                       group by tick_of(created_at) >> %5$s)',
        large.list, large.account_id, large.label, large.state, bucket_bits(deepest), large.matching,
        large.bucket << bucket_bits(large.level), (large.bucket + 1) << bucket_bits(large.level)) into parts;
      for part_level in large.level + 1 .. deepest loop
        with summed as (
          select p.tick >> bucket_bits(part_level) as bucket, sum(p.delta) as row_count from unnest(parts) p
           group by p.tick >> bucket_bits(part_level)),
        written as (
          insert into list_counts (list, account_id, label, state, level, bucket, row_count, is_split)
          select large.list, large.account_id, large.label, large.state, part_level, s.bucket, s.row_count,
                 s.row_count > split_threshold() and part_level < deepest
            from summed s
          returning *)
        insert into list_buckets_to_split (list, account_id, label, state, level, bucket)
        select list, account_id, label, state, level, bucket from written
         where row_count > split_threshold() and not is_split and level < 6;
        -- On the next level, only parts of the buckets that are split.
        parts := array(
          select (p.list, p.account_id, p.label, p.state, p.tick, p.delta)::list_change
            from (select q.*, sum(q.delta) over (partition by q.tick >> bucket_bits(part_level)) as row_count
                    from unnest(parts) q) p
           where p.row_count > split_threshold());
      end loop;
      -- The first bucket of an account (or label) is split: from now on its combinations with other filters are counted too.
      if large.level = 0 and large.state = '' and (large.account_id = '') <> (large.label = '') then
        for rollup in
          select by_account, by_label, by_state from list_rollups
           where list = large.list and only_for_large = case when large.label = '' then 'account' else 'label' end
        loop
          execute format(
            'with first_buckets as (
               insert into list_counts (list, account_id, label, state, level, bucket, row_count)
               select %L, %s, %s, %s, 0, 0, count(*) %s %s group by 2, 3, 4
               returning *)
             insert into list_buckets_to_split (list, account_id, label, state, level, bucket)
             select list, account_id, label, state, level, bucket from first_buckets where row_count > split_threshold()',
            large.list, case when rollup.by_account then 'account_id' else '''''' end,
            case when rollup.by_label then 'label' else '''''' end,
            case when rollup.by_state then 'state' else '''''' end, large.matching,
            case when rollup.by_label then 'and label is not null' end);
        end loop;
      end if;
      update list_counts n set is_split = true
       where (n.list, n.account_id, n.label, n.state, n.level, n.bucket)
           = (large.list, large.account_id, large.label, large.state, large.level, large.bucket);
      rows_left := rows_left - large.row_count;
    end loop;
  end loop;
end
$$;

-- Merges up to `max_changes` changes and returns how many it merged; when fewer are left, it also splits buckets, reading about
-- `row_budget` rows. One caller at a time does it; another one gets null.
-- Needs a transaction with one snapshot from begin to end: once all changes that the snapshot shows are merged, counts and tables
-- agree in it, and only then can a bucket be split by counting rows. Changes and buckets are joined by hash, because the planner
-- cannot know how many there are.
create function merge_list_changes(max_changes integer, row_budget bigint) returns integer language plpgsql
  set enable_nestloop = off
as $$
declare
  changes list_change[];
  empty_buckets tid[] := '{}';
  empty_here tid[];
  merged integer;
  last_xid xid8;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'merging list changes needs one snapshot: use repeatable read';
  end if;
  perform from list_merge for update skip locked;
  if not found then return null; end if;
  with taken as (
    delete from list_changes
     where ctid = any (array(select ctid from list_changes where xid >= first_unmerged_xid() order by xid limit max_changes))
     returning *),
  summed as (
    select list, account_id, label, state, tick, sum(delta)::integer as delta from taken
     group by list, account_id, label, state, tick having sum(delta) <> 0)
  select (select count(*) from taken), (select xid from taken order by xid desc limit 1),
         array(select (s.list, s.account_id, s.label, s.state, s.tick, s.delta)::list_change from summed s)
    into merged, last_xid, changes;

  -- Each change counts in every combination that its row belongs to. In a combination without state, a row that left one state
  -- for another is no change: the sum is zero and is dropped.
  changes := array(
    select (s.list, s.account_id, s.label, s.state, s.tick, s.delta)::list_change
      from (select c.list, case when r.by_account then c.account_id else '' end as account_id,
                   case when r.by_label then c.label else '' end as label,
                   case when r.by_state then c.state else '' end as state, c.tick, sum(c.delta)::integer as delta
              from unnest(changes) c
              join list_rollups r on r.list = c.list and (c.label <> '' or not r.by_label)
             where r.only_for_large is null or exists (
                     select from list_counts n
                      where n.list = c.list
                        and n.account_id = case when r.only_for_large = 'account' then c.account_id else '' end
                        and n.label = case when r.only_for_large = 'label' then c.label else '' end
                        and n.state = '' and n.level = 0 and n.is_split)
             group by 1, 2, 3, 4, 5 having sum(c.delta) <> 0) s);

  -- From the first level down, each change as far as buckets are split.
  for this_level in 0..6 loop
    exit when cardinality(changes) = 0;
    -- A bucket whose rows only moved within it is written as well: the statement must tell whether it is split.
    with written as (
      insert into list_counts as n (list, account_id, label, state, level, bucket, row_count)
      select list, account_id, label, state, this_level, tick >> bucket_bits(this_level), sum(delta) from unnest(changes)
       group by list, account_id, label, state, tick >> bucket_bits(this_level)
      on conflict (list, account_id, label, state, level, bucket) do update set row_count = n.row_count + excluded.row_count
      returning n.*, n.ctid as row_address),
    grown as (
      insert into list_buckets_to_split (list, account_id, label, state, level, bucket)
      select list, account_id, label, state, level, bucket from written
       where row_count > split_threshold() and not is_split and level < 6
      on conflict do nothing)
    select array(select w.row_address from written w where w.row_count = 0),
           array(select (c.list, c.account_id, c.label, c.state, c.tick, c.delta)::list_change
                   from unnest(changes) c
                   join written w on w.list = c.list and w.account_id = c.account_id and w.label = c.label
                    and w.state = c.state and w.bucket = c.tick >> bucket_bits(this_level)
                  where w.is_split)
      into empty_here, changes;
    empty_buckets := empty_buckets || empty_here;
  end loop;

  -- Empty buckets are deleted from the last level up, and a split bucket only when it has no parts left. Changes are taken in the
  -- order of their transaction ids, so the deletion of a row may be merged one batch before its insertion: then a bucket sums up
  -- to zero while its parts do not.
  if cardinality(empty_buckets) > 0 then
    for this_level in reverse 6..0 loop
      delete from list_counts n
       where n.ctid = any (empty_buckets) and n.level = this_level
         and (not n.is_split
              or (select p.level from list_counts p
                   where p.list = n.list and p.account_id = n.account_id and p.label = n.label and p.state = n.state
                     and p.level = this_level + 1
                     and p.bucket >= n.bucket << (bucket_bits(this_level) - bucket_bits(this_level + 1))
                     and p.bucket < (n.bucket + 1) << (bucket_bits(this_level) - bucket_bits(this_level + 1))
                   limit 1) is null);
    end loop;
  end if;

  if merged < max_changes then
    perform split_list_buckets(row_budget);
    last_xid := pg_snapshot_xmin(pg_current_snapshot());
  end if;
  update list_merge set merged_before = least(last_xid, pg_snapshot_xmin(pg_current_snapshot()));
  return merged;
end
$$;

-- Merges up to `batch_size` changes of each kind into the balances of the ledger and the counts of boleto instructions, and returns how many
-- it merged. Rows in a fixed order, so that two nodes that merge at once do not deadlock.
create function merge_kept_sums(batch_size integer) returns integer language plpgsql as $$
declare
  balances integer;
  counts integer;
begin
  with taken as (
    delete from ledger_balance_changes
     where ctid = any (array(select ctid from ledger_balance_changes limit batch_size for update skip locked))
    returning *),
  summed as (
    insert into ledger_balances as b (account_id, book, currency, amount)
    select account_id, book, currency, sum(amount) from taken group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, book, currency) do update set amount = b.amount + excluded.amount)
  select count(*) into balances from taken;
  with taken as (
    delete from boleto_instruction_changes
     where ctid = any (array(select ctid from boleto_instruction_changes limit batch_size for update skip locked))
    returning *),
  summed as (
    insert into boleto_instruction_counts as c (rail, status, instructions)
    select rail, status, sum(instructions) from taken group by 1, 2 order by 1, 2
    on conflict (rail, status) do update set instructions = c.instructions + excluded.instructions)
  select count(*) into counts from taken;
  return greatest(balances, counts);
end
$$;
