-- Counted lists, reading: how many rows match, and the ids of one page in order. An empty text means any value of a filter; the
-- bounds `since` and `until` are inclusive. All is read in the snapshot of the calling statement, pending changes included.
--
-- The search goes down the tree and reads at most the parts of one bucket on each level; it passes rows one by one only inside a
-- bucket that is not split. The settings force the index whose order is the list's, whatever the statistics say.
create function find_list_page(
  for_list text, for_account text, for_label text, for_state text, since timestamptz, until timestamptz, skip bigint,
  size integer, out total bigint, out ids uuid[]
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
  -- Rows of the list are at or after `lower_bound` and before `upper_bound`.
  lower_bound timestamptz := coalesce(since, '-infinity');
  upper_bound timestamptz := coalesce(until + interval '1 microsecond', 'infinity');
  -- Pending changes of this combination, summed by tick.
  pending_ticks bigint[];
  pending_deltas bigint[];
  all_rows bigint;
  rows_before_upper bigint;
  rows_before_lower bigint := 0;
  -- Where reading rows begins: before this time, after so many rows.
  page_bound timestamptz;
  page_skip bigint;
begin
  if exists (
    select from list_rollups r
     where r.list = for_list and r.by_account = (for_account <> '') and r.by_label = (for_label <> '')
       and r.by_state = (for_state <> '') and r.only_for_large is not null
       and not exists (select from list_counts n
                        where n.list = for_list
                          and n.account_id = case when r.only_for_large = 'account' then for_account else '' end
                          and n.label = case when r.only_for_large = 'label' then for_label else '' end
                          and n.state = '' and n.level = 0 and n.is_split))
  then
    -- This combination is not counted for an account or label with so few rows.
    total := count_rows(for_list, for_account, for_label, for_state, lower_bound, upper_bound);
    page_bound := upper_bound;
    page_skip := skip;
  else
    select array_agg(p.tick), array_agg(p.delta) into pending_ticks, pending_deltas
      from (select tick, sum(delta)::bigint as delta from list_changes
             where xid >= first_unmerged_xid() and list = for_list and (for_account = '' or account_id = for_account)
               and (for_label = '' or label = for_label) and (for_state = '' or state = for_state)
             group by tick) p;
    all_rows := coalesce((select row_count from list_counts n
                           where n.list = for_list and n.account_id = for_account and n.label = for_label
                             and n.state = for_state and level = 0), 0)
              + coalesce((select sum(d) from unnest(pending_deltas) d), 0);
    rows_before_upper := all_rows;
    if until is not null then
      rows_before_upper := count_before(
        for_list, for_account, for_label, for_state, upper_bound, pending_ticks, pending_deltas);
    end if;
    if since is not null then
      rows_before_lower := count_before(
        for_list, for_account, for_label, for_state, lower_bound, pending_ticks, pending_deltas);
    end if;
    total := rows_before_upper - rows_before_lower;
    if skip = 0 then
      page_bound := upper_bound;
      page_skip := 0;
    elsif skip < total then
      select b.ends_at, b.newer_inside into page_bound, page_skip
        from find_bucket(for_list, for_account, for_label, for_state, all_rows - rows_before_upper + skip,
                         pending_ticks, pending_deltas) b;
      if page_bound >= upper_bound then
        page_bound := upper_bound;
        page_skip := skip;
      end if;
    end if;
  end if;
  ids := '{}';
  if skip >= total then return; end if;
  ids := list_row_ids(for_list, for_account, for_label, for_state, lower_bound, page_bound, page_skip,
                      least(size, total - skip));
end
$$;

-- How many matching rows are older than a time. Runs with the settings of its caller. The buckets on the path down to that time
-- are known beforehand, so one query reads all levels. Below a bucket that is not split there are no parts, and nothing is found.
create function count_before(
  for_list text, for_account text, for_label text, for_state text, moment timestamptz, pending_ticks bigint[],
  pending_deltas bigint[]
) returns bigint language plpgsql stable as $$
declare
  moment_tick bigint := tick_of(moment);
  unsplit_level integer;
  unsplit_start bigint;
  result bigint;
begin
  select coalesce(sum(n.row_count) filter (where n.bucket < path.bucket), 0),
         coalesce(max(path.level) filter (where n.bucket = path.bucket and n.is_split), -1) + 1
    into result, unsplit_level
    from (select l.level, moment_tick >> bucket_bits(l.level) as bucket,
                 (moment_tick >> bucket_bits(l.above)) << (bucket_bits(l.above) - bucket_bits(l.level)) as first_sibling
            from (select level, greatest(level - 1, 0) as above from generate_series(0, 6) level) l) path
    join list_counts n on n.list = for_list and n.account_id = for_account and n.label = for_label and n.state = for_state
     and n.level = path.level and n.bucket between path.first_sibling and path.bucket;
  -- The rest lies in the first bucket on the path that is not split: its rows are counted one by one.
  unsplit_start := (moment_tick >> bucket_bits(unsplit_level)) << bucket_bits(unsplit_level);
  return result + count_rows(for_list, for_account, for_label, for_state, tick_start(unsplit_start), moment)
       + coalesce((select sum(d.delta) from unnest(pending_ticks, pending_deltas) d (tick, delta)
                    where d.tick < unsplit_start), 0);
end
$$;

-- Finds the smallest counted bucket with the row that has `newer_rows` newer ones: when the bucket ends, and how many rows inside
-- it are newer.
create function find_bucket(
  for_list text, for_account text, for_label text, for_state text, newer_rows bigint, pending_ticks bigint[],
  pending_deltas bigint[], out ends_at timestamptz, out newer_inside bigint
) language plpgsql stable as $$
declare
  current_bucket bigint := 0;
  current_is_split boolean;
  bits integer;
  -- A bucket has 2 ^ extra_bits parts on the next level.
  extra_bits integer;
  part record;
begin
  newer_inside := newer_rows;
  ends_at := 'infinity';
  current_is_split := coalesce((select n.is_split from list_counts n
                                 where n.list = for_list and n.account_id = for_account and n.label = for_label
                                   and n.state = for_state and n.level = 0), false);
  for this_level in 1..6 loop
    exit when not current_is_split;
    bits := bucket_bits(this_level);
    extra_bits := bucket_bits(this_level - 1) - bits;
    if exists (select from unnest(pending_ticks) t where t >> (bits + extra_bits) = current_bucket) then
      select r.bucket, r.is_split, newer_inside - (r.running_count - r.row_count)
        into current_bucket, current_is_split, newer_inside
        from (select q.bucket, q.row_count, q.is_split, sum(q.row_count) over (order by q.bucket desc) as running_count
                from (select p.bucket, sum(p.row_count) as row_count, bool_or(p.is_split) as is_split
                        from (select n.bucket, n.row_count, n.is_split from list_counts n
                               where n.list = for_list and n.account_id = for_account and n.label = for_label
                                 and n.state = for_state and n.level = this_level
                                 and n.bucket >= current_bucket << extra_bits
                                 and n.bucket < (current_bucket + 1) << extra_bits
                              union all
                              select d.tick >> bits, d.delta, false
                                from unnest(pending_ticks, pending_deltas) d (tick, delta)
                               where d.tick >> (bits + extra_bits) = current_bucket) p
                       group by p.bucket) q) r
       where r.running_count > newer_inside order by r.bucket desc limit 1;
    else
      -- No change is pending here, as almost everywhere: the index returns the parts in order, newest first.
      for part in
        select n.bucket, n.row_count, n.is_split from list_counts n
         where n.list = for_list and n.account_id = for_account and n.label = for_label and n.state = for_state
           and n.level = this_level and n.bucket >= current_bucket << extra_bits
           and n.bucket < (current_bucket + 1) << extra_bits
         order by n.bucket desc
      loop
        exit when newer_inside < part.row_count;
        newer_inside := newer_inside - part.row_count;
      end loop;
      current_bucket := part.bucket;
      current_is_split := part.is_split;
    end if;
    ends_at := tick_start((current_bucket + 1) << bits);
  end loop;
end
$$;

-- Two functions that read the rows themselves: `count_rows` between two times, and `list_row_ids` for the ids of a page. Each
-- combination of filters has a statement of its own, so that its plan is kept: planning would take longer than running. The
-- statements are generated from list_rollups; the key of one is, for example, `orders 101` for account and state.
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
    create function count_rows(
      for_list text, for_account text, for_label text, for_state text, since timestamptz, until timestamptz
    ) returns bigint language plpgsql stable as $body$
    begin
      case concat(for_list, '' '', (for_account <> '''')::int, (for_label <> '''')::int, (for_state <> '''')::int)%s
      end case;
    end $body$', count_branches);
  execute format('
    create function list_row_ids(
      for_list text, for_account text, for_label text, for_state text, since timestamptz, until timestamptz, skip bigint,
      size bigint
    ) returns uuid[] language plpgsql stable as $body$
    begin
      case concat(for_list, '' '', (for_account <> '''')::int, (for_label <> '''')::int, (for_state <> '''')::int)%s
      end case;
    end $body$', ids_branches);
end
$$;
