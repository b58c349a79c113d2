-- Folding: changes become part of the counts, in the background.
create type list_change as (list text, a text, b text, c text, tick bigint, delta integer);

-- How many rows make a stretch worth splitting: what a reader may have to pass one by one.
create function split_above() returns bigint language sql immutable parallel safe return 500::bigint;

-- Counts the parts of large stretches in the tables themselves, until about `budget` rows were passed. Right only where no
-- change waits: for its caller, counts and tables must show the same. The settings keep to the index of the combination.
create function split_counts(budget bigint) returns void language plpgsql
  set enable_seqscan = off
  set enable_bitmapscan = off
  set random_page_cost = 0
  set seq_page_cost = 0
  set jit = off
as $$
declare
  node record;
  rollup record;
  rest bigint := budget;
  deepest integer;
  parts list_change[];
begin
  loop
    -- Some at a time: a queue whose head is looked for after each would be read over and over.
    exit when rest <= 0 or not exists (select from list_dense);
    for node in
      with taken as (delete from list_dense where ctid = any (array(select ctid from list_dense limit 100)) returning *)
      select n.*, format('from %I where true%s%s%s', n.list || '_listed',
                         case when n.a <> '' then format(' and a = %L', n.a) end,
                         case when n.b <> '' then format(' and b = %L', n.b) end,
                         case when n.c <> '' then format(' and c = %L', n.c) end) as matching
        from taken join list_counts n using (list, a, b, c, level, bucket)
       where n.count > split_above() and not n.is_split
    loop
      -- One pass over the rows counts the parts of several levels.
      deepest := case when node.level = 0 then 2 when node.count > 32 * split_above() then least(node.level + 2, 6)
                      else node.level + 1 end;
      execute format(
        'select array(select (%1$L, %2$L, %3$L, %4$L, tick_of(created_at) >> %5$s << %5$s, count(*)::integer)::list_change
                        %6$s and created_at >= tick_start(%7$s) and created_at < tick_start(%8$s)
                       group by tick_of(created_at) >> %5$s)',
        node.list, node.a, node.b, node.c, tick_bits(deepest), node.matching,
        node.bucket << tick_bits(node.level), (node.bucket + 1) << tick_bits(node.level)) into parts;
      for stage in node.level + 1 .. deepest loop
        with summed as (
          select p.tick >> tick_bits(stage) as bucket, sum(p.delta) as count from unnest(parts) p
           group by p.tick >> tick_bits(stage)),
        written as (
          insert into list_counts (list, a, b, c, level, bucket, count, is_split)
          select node.list, node.a, node.b, node.c, stage, s.bucket, s.count, s.count > split_above() and stage < deepest
            from summed s
          returning *)
        insert into list_dense (list, a, b, c, level, bucket)
        select list, a, b, c, level, bucket from written where count > split_above() and not is_split and level < 6;
        -- Parts of parts only where there are many.
        parts := array(
          select (p.list, p.a, p.b, p.c, p.tick, p.delta)::list_change
            from (select q.*, sum(q.delta) over (partition by q.tick >> tick_bits(stage)) as sum from unnest(parts) q) p
           where p.sum > split_above());
      end loop;
      -- With the first split of a column's value, what is combined with it is counted as well.
      if node.level = 0 and node.c = '' and (node.a = '') <> (node.b = '') then
        for rollup in
          select by_a, by_b, by_c from list_rollups
           where list = node.list and root = case when node.b = '' then 'a' else 'b' end
        loop
          execute format(
            'with roots as (
               insert into list_counts (list, a, b, c, level, bucket, count)
               select %L, %s, %s, %s, 0, 0, count(*) %s %s group by 2, 3, 4
               returning *)
             insert into list_dense (list, a, b, c, level, bucket)
             select list, a, b, c, level, bucket from roots where count > split_above()',
            node.list, case when rollup.by_a then 'a' else '''''' end, case when rollup.by_b then 'b' else '''''' end,
            case when rollup.by_c then 'c' else '''''' end, node.matching,
            case when rollup.by_b then 'and b is not null' end);
        end loop;
      end if;
      update list_counts n set is_split = true
       where (n.list, n.a, n.b, n.c, n.level, n.bucket) = (node.list, node.a, node.b, node.c, node.level, node.bucket);
      rest := rest - node.count;
    end loop;
  end loop;
end
$$;

-- Folds up to `batch` changes and returns how many there were; with nothing left it splits what has grown. One caller at a
-- time does it, another is told null. Asks for a transaction that sees one snapshot from begin to end: all changes that can
-- be seen in it are folded before anything is counted for a split, and so counts and tables show the same.
create function fold_counts(batch integer, budget bigint) returns integer language plpgsql as $$
declare
  changes list_change[];
  emptied tid[] := '{}';
  zeros tid[];
  taken integer;
  last xid8;
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    raise exception 'folding needs one snapshot';
  end if;
  perform from list_fold for update skip locked;
  if not found then return null; end if;
  with gone as (
    delete from list_deltas
     where ctid = any (array(select ctid from list_deltas where xid >= list_fold_low() order by xid limit batch))
     returning *),
  grouped as (
    select list, a, b, c, tick, sum(delta)::integer as delta from gone
     group by list, a, b, c, tick having sum(delta) <> 0)
  select (select count(*) from gone), (select xid from gone order by xid desc limit 1),
         array(select (g.list, g.a, g.b, g.c, g.tick, g.delta)::list_change from grouped g)
    into taken, last, changes;

  -- Each change counts in every combination that it is part of.
  changes := array(
    select (g.list, case when r.by_a then g.a else '' end, case when r.by_b then g.b else '' end,
            case when r.by_c then g.c else '' end, g.tick, g.delta)::list_change
      from unnest(changes) g
      join list_rollups r on r.list = g.list and (g.b <> '' or not r.by_b)
     where r.root is null or exists (
             select from list_counts n
              where n.list = g.list and n.a = case when r.root = 'a' then g.a else '' end
                and n.b = case when r.root = 'b' then g.b else '' end and n.c = '' and n.level = 0 and n.is_split));
  for stage in 0..6 loop
    exit when cardinality(changes) = 0;
    with written as (
      insert into list_counts as n (list, a, b, c, level, bucket, count)
      select list, a, b, c, stage, tick >> tick_bits(stage), sum(delta) from unnest(changes)
       group by list, a, b, c, tick >> tick_bits(stage) having sum(delta) <> 0
      on conflict (list, a, b, c, level, bucket) do update set count = n.count + excluded.count
      returning n.*, n.ctid as place),
    grown as (
      insert into list_dense (list, a, b, c, level, bucket)
      select list, a, b, c, level, bucket from written
       where count > split_above() and not is_split and level < 6
      on conflict do nothing)
    select array_agg(place) into zeros from written where count = 0;
    emptied := emptied || zeros;
    changes := array(
      select (g.list, g.a, g.b, g.c, g.tick, g.delta)::list_change
        from unnest(changes) g
        join list_counts n on n.list = g.list and n.a = g.a and n.b = g.b and n.c = g.c and n.level = stage
         and n.bucket = g.tick >> tick_bits(stage)
       where n.is_split);
  end loop;
  -- A stretch without rows has no parts with rows either.
  delete from list_counts where ctid = any (emptied);

  if taken < batch then
    perform split_counts(budget);
    last := pg_snapshot_xmin(pg_current_snapshot());
  end if;
  update list_fold set low = least(last, pg_snapshot_xmin(pg_current_snapshot()));
  return taken;
end
$$;

-- The rows that are there already.
with roots as (
  insert into list_counts (list, a, b, c, level, bucket, count)
  select r.list, case when r.by_a then t.a else '' end, case when r.by_b then t.b else '' end,
         case when r.by_c then t.c else '' end, 0, 0, sum(t.count)
    from (select 'crypto_transactions' as list, a, b, c, count(*) from crypto_transactions_listed group by a, b, c
          union all
          select 'charges', a, b, c, count(*) from charges_listed group by a, b, c) t
    join list_rollups r on r.list = t.list and r.root is null and (t.b is not null or not r.by_b)
   group by r.list, r.by_a, r.by_b, r.by_c, 2, 3, 4
  returning *)
insert into list_dense (list, a, b, c, level, bucket)
  select list, a, b, c, level, bucket from roots where count > split_above();
select split_counts(9223372036854775807);
