-- Folding again, with less to do: what cancels out is dropped before it is counted anywhere, and whether a stretch is split is
-- told by the statement that counts in it, not looked up for each change. Changes and stretches are matched by hash, whatever
-- the planner thinks of their number.
create or replace function fold_counts(batch integer, budget bigint) returns integer language plpgsql
  set enable_nestloop = off
as $$
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

  -- Each change counts in every combination that it is part of. One that left a status and came to another is none to a
  -- combination without status.
  changes := array(
    select (s.list, s.a, s.b, s.c, s.tick, s.delta)::list_change
      from (select g.list, case when r.by_a then g.a else '' end as a, case when r.by_b then g.b else '' end as b,
                   case when r.by_c then g.c else '' end as c, g.tick, sum(g.delta)::integer as delta
              from unnest(changes) g
              join list_rollups r on r.list = g.list and (g.b <> '' or not r.by_b)
             where r.root is null or exists (
                     select from list_counts n
                      where n.list = g.list and n.a = case when r.root = 'a' then g.a else '' end
                        and n.b = case when r.root = 'b' then g.b else '' end and n.c = '' and n.level = 0 and n.is_split)
             group by 1, 2, 3, 4, 5 having sum(g.delta) <> 0) s);
  for stage in 0..6 loop
    exit when cardinality(changes) = 0;
    -- A stretch whose rows only moved within it is counted too: its parts are to be found.
    with written as (
      insert into list_counts as n (list, a, b, c, level, bucket, count)
      select list, a, b, c, stage, tick >> tick_bits(stage), sum(delta) from unnest(changes)
       group by list, a, b, c, tick >> tick_bits(stage)
      on conflict (list, a, b, c, level, bucket) do update set count = n.count + excluded.count
      returning n.*, n.ctid as place),
    grown as (
      insert into list_dense (list, a, b, c, level, bucket)
      select list, a, b, c, level, bucket from written
       where count > split_above() and not is_split and level < 6
      on conflict do nothing)
    select array(select w.place from written w where w.count = 0),
           array(select (g.list, g.a, g.b, g.c, g.tick, g.delta)::list_change
                   from unnest(changes) g
                   join written w on w.list = g.list and w.a = g.a and w.b = g.b and w.c = g.c
                    and w.bucket = g.tick >> tick_bits(stage)
                  where w.is_split)
      into zeros, changes;
    emptied := emptied || zeros;
  end loop;
  -- From below, for a stretch stays as long as it has parts: a row may be taken away here before it is added, when a batch ends
  -- between the two, and then the parts of a stretch that sums up to nothing do not.
  if cardinality(emptied) > 0 then
    for stage in reverse 6..0 loop
      delete from list_counts n
       where n.ctid = any (emptied) and n.level = stage
         and (not n.is_split
              or (select p.level from list_counts p
                   where p.list = n.list and p.a = n.a and p.b = n.b and p.c = n.c and p.level = stage + 1
                     and p.bucket >= n.bucket << (tick_bits(stage) - tick_bits(stage + 1))
                     and p.bucket < (n.bucket + 1) << (tick_bits(stage) - tick_bits(stage + 1))
                   limit 1) is null);
    end loop;
  end if;

  if taken < batch then
    perform split_counts(budget);
    last := pg_snapshot_xmin(pg_current_snapshot());
  end if;
  update list_fold set low = least(last, pg_snapshot_xmin(pg_current_snapshot()));
  return taken;
end
$$;

-- It looks stretches up by their keys, whoever calls it.
alter function split_counts(bigint) set enable_nestloop = on;
