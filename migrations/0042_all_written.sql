-- Whether all that was asked for was written. A transaction that is sent whole, its end too, cannot be judged by who sent it: there
-- a statement that could not write all undoes everything, and says which it could not.
create function all_written(ids text[], asked text[], or_nothing boolean) returns boolean language plpgsql as $$
begin
  if cardinality(ids) = cardinality(asked) then
    return true;
  end if;
  if or_nothing then
    raise exception 'not all of them can be written' using errcode = 'TR001',
      detail = (select json_agg(id) from unnest(asked) as id where id <> all (coalesce(ids, '{}')));
  end if;
  return false;
end $$;
