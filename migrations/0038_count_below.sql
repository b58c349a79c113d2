-- As long as it was strict, every use of it was a call of its own.
alter function tick_bits(integer) called on null input;

-- How many matching rows are older than a moment, again: which parts lie on the way down to it is known beforehand, so all levels
-- are asked at once. Where a stretch is not split there are no parts below it, and nothing is found there.
create or replace function count_below(
  of_list text, of_a text, of_b text, of_c text, moment timestamptz, ticks bigint[], deltas bigint[]
) returns bigint language plpgsql stable as $$
declare
  tick bigint := tick_of(moment);
  unsplit integer;
  first bigint;
  result bigint;
begin
  select coalesce(sum(n.count) filter (where n.bucket < way.stretch), 0),
         coalesce(max(way.stage) filter (where n.bucket = way.stretch and n.is_split), -1) + 1
    into result, unsplit
    from (select s.stage, tick >> tick_bits(s.stage) as stretch,
                 (tick >> tick_bits(s.above)) << (tick_bits(s.above) - tick_bits(s.stage)) as first
            from (select stage, greatest(stage - 1, 0) as above from generate_series(0, 6) stage) s) way
    join list_counts n on n.list = of_list and n.a = of_a and n.b = of_b and n.c = of_c and n.level = way.stage
     and n.bucket between way.first and way.stretch;
  first := (tick >> tick_bits(unsplit)) << tick_bits(unsplit);
  return result + count_listed(of_list, of_a, of_b, of_c, tick_start(first), moment)
       + coalesce((select sum(d.delta) from unnest(ticks, deltas) d (tick, delta) where d.tick < first), 0);
end
$$;
