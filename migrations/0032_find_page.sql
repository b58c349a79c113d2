-- Finding a page of a list: how many rows match in all, and the ids of those on the page, in order. An empty word stands
-- for any value; bounds are inclusive. Everything is seen in the snapshot of the statement that asks, the changes that are
-- not folded yet included.
--
-- The way down the tree reads at most one family of parts on each level; rows are passed one by one only inside a stretch
-- that is not split. The settings keep to the index whose order is the list's, whatever the statistics say.
create function find_page(
  of_list text, of_a text, of_b text, of_c text, since timestamptz, until timestamptz, skip bigint, size integer,
  out total bigint, out ids uuid[]
) language plpgsql stable
  set plan_cache_mode = force_generic_plan
  set max_parallel_workers_per_gather = 0
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
  set random_page_cost = 0
  set seq_page_cost = 0
as $$
declare
  -- Rows lie before this moment.
  bound timestamptz := coalesce(until + interval '1 microsecond', 'infinity');
  start timestamptz := coalesce(since, '-infinity');
  ticks bigint[];
  deltas bigint[];
  everything bigint;
  below_bound bigint;
  below_start bigint := 0;
  passed bigint;
  upper_bound timestamptz;
begin
  if exists (
    select from list_rollups r
     where r.list = of_list and r.by_a = (of_a <> '') and r.by_b = (of_b <> '') and r.by_c = (of_c <> '') and r.root is not null
       and not exists (select from list_counts n
                        where n.list = of_list and n.a = case when r.root = 'a' then of_a else '' end
                          and n.b = case when r.root = 'b' then of_b else '' end and n.c = '' and n.level = 0 and n.is_split))
  then
    -- Too few to be counted beforehand.
    total := count_listed(of_list, of_a, of_b, of_c, start, bound);
    upper_bound := bound;
    passed := skip;
  else
    select array_agg(p.tick), array_agg(p.delta) into ticks, deltas
      from (select tick, sum(delta)::bigint as delta from list_deltas
             where xid >= list_fold_low() and list = of_list and (of_a = '' or a = of_a) and (of_b = '' or b = of_b)
               and (of_c = '' or c = of_c)
             group by tick) p;
    everything := coalesce((select count from list_counts n
                             where n.list = of_list and n.a = of_a and n.b = of_b and n.c = of_c and level = 0), 0)
                + coalesce((select sum(d) from unnest(deltas) d), 0);
    below_bound := everything;
    if until is not null then
      below_bound := count_below(of_list, of_a, of_b, of_c, bound, ticks, deltas);
    end if;
    if since is not null then
      below_start := count_below(of_list, of_a, of_b, of_c, start, ticks, deltas);
    end if;
    total := below_bound - below_start;
    if skip = 0 then
      upper_bound := bound;
      passed := 0;
    elsif skip < total then
      select f.upper_bound, f.passed into upper_bound, passed
        from find_stretch(of_list, of_a, of_b, of_c, everything - below_bound + skip, ticks, deltas) f;
      if upper_bound >= bound then
        upper_bound := bound;
        passed := skip;
      end if;
    end if;
  end if;
  ids := '{}';
  if skip >= total then return; end if;
  ids := list_ids(of_list, of_a, of_b, of_c, start, upper_bound, passed, least(size, total - skip));
end
$$;

-- How many matching rows are older than a moment. Runs with the settings of its caller.
create function count_below(
  of_list text, of_a text, of_b text, of_c text, moment timestamptz, ticks bigint[], deltas bigint[]
) returns bigint language plpgsql stable as $$
declare
  tick bigint := tick_of(moment);
  stretch bigint := 0;
  first bigint;
  is_split boolean;
  part bigint;
  result bigint := 0;
begin
  for stage in 0..6 loop
    first := case when stage = 0 then 0 else stretch << (tick_bits(stage - 1) - tick_bits(stage)) end;
    stretch := tick >> tick_bits(stage);
    select sum(n.count) filter (where n.bucket < stretch), bool_or(n.is_split) filter (where n.bucket = stretch)
      into part, is_split
      from list_counts n
     where n.list = of_list and n.a = of_a and n.b = of_b and n.c = of_c and n.level = stage
       and n.bucket between first and stretch;
    result := result + coalesce(part, 0);
    if is_split is not true then
      first := stretch << tick_bits(stage);
      exit;
    end if;
  end loop;
  return result + count_listed(of_list, of_a, of_b, of_c, tick_start(first), moment)
       + coalesce((select sum(d.delta) from unnest(ticks, deltas) d (tick, delta) where d.tick < first), 0);
end
$$;

-- The stretch in which the row lies that has `above` newer ones: where it ends, and how many of its rows are newer.
create function find_stretch(
  of_list text, of_a text, of_b text, of_c text, above bigint, ticks bigint[], deltas bigint[],
  out upper_bound timestamptz, out passed bigint
) language plpgsql stable as $$
declare
  stretch bigint := 0;
  is_split boolean;
  bits integer;
  wider integer;
  part record;
begin
  passed := above;
  upper_bound := 'infinity';
  is_split := coalesce((select n.is_split from list_counts n
                         where n.list = of_list and n.a = of_a and n.b = of_b and n.c = of_c and n.level = 0), false);
  for stage in 1..6 loop
    exit when not is_split;
    bits := tick_bits(stage);
    wider := tick_bits(stage - 1) - bits;
    if exists (select from unnest(ticks) t where t >> (bits + wider) = stretch) then
      select r.bucket, r.is_split, passed - (r.running - r.count) into stretch, is_split, passed
        from (select q.bucket, q.count, q.is_split, sum(q.count) over (order by q.bucket desc) as running
                from (select p.bucket, sum(p.count) as count, bool_or(p.is_split) as is_split
                        from (select n.bucket, n.count, n.is_split from list_counts n
                               where n.list = of_list and n.a = of_a and n.b = of_b and n.c = of_c and n.level = stage
                                 and n.bucket >= stretch << wider and n.bucket < (stretch + 1) << wider
                              union all
                              select d.tick >> bits, d.delta, false from unnest(ticks, deltas) d (tick, delta)
                               where d.tick >> (bits + wider) = stretch) p
                       group by p.bucket) q) r
       where r.running > passed order by r.bucket desc limit 1;
    else
      -- Nothing waits here, as almost everywhere: the index gives the parts in order.
      for part in
        select n.bucket, n.count, n.is_split from list_counts n
         where n.list = of_list and n.a = of_a and n.b = of_b and n.c = of_c and n.level = stage
           and n.bucket >= stretch << wider and n.bucket < (stretch + 1) << wider
         order by n.bucket desc
      loop
        exit when passed < part.count;
        passed := passed - part.count;
      end loop;
      stretch := part.bucket;
      is_split := part.is_split;
    end if;
    upper_bound := tick_start((stretch + 1) << bits);
  end loop;
end
$$;

-- The rows themselves: how many there are between two moments, and the ids of some. Each combination has a statement of its
-- own, whose plan is kept: planning would take longer than running.
do $$
declare
  branch constant text := E'\n    when %L then return %s;';
  counting text;
  picking text;
begin
  select string_agg(format(branch, key, format('(select count(*) %s)', matching)), ''),
         string_agg(format(branch, key, format('array(select id %s order by created_at desc, id desc offset skip limit size)',
                                               matching)), '')
    into counting, picking
    from (select concat(list, by_a::int, by_b::int, by_c::int) as key,
                 format('from %I where %s%s%screated_at >= since and created_at < until', list || '_listed',
                        case when by_a then 'a = of_a and ' end, case when by_b then 'b = of_b and ' end,
                        case when by_c then 'c = of_c and ' end) as matching
            from list_rollups) combinations;
  execute format('
    create function count_listed(
      of_list text, of_a text, of_b text, of_c text, since timestamptz, until timestamptz
    ) returns bigint language plpgsql stable as $body$
    begin
      case concat(of_list, (of_a <> '''')::int, (of_b <> '''')::int, (of_c <> '''')::int)%s
      end case;
    end $body$', counting);
  execute format('
    create function list_ids(
      of_list text, of_a text, of_b text, of_c text, since timestamptz, until timestamptz, skip bigint, size bigint
    ) returns uuid[] language plpgsql stable as $body$
    begin
      case concat(of_list, (of_a <> '''')::int, (of_b <> '''')::int, (of_c <> '''')::int)%s
      end case;
    end $body$', picking);
end
$$;

-- A moment from milliseconds since 1970. An interval is multiplied in floating point: whole seconds stay exact to the year
-- 9999, milliseconds only to 2255.
create function moment_of(ms bigint) returns timestamptz
  language sql stable strict parallel safe
  return timestamptz 'epoch' + ms / 1000 * interval '1 second' + ms % 1000 * interval '1 millisecond';
