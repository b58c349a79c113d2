-- What a node makes with the time it knows is written only while that is the time: a transaction that says so is undone otherwise.
create function require_clock(ahead bigint, halted timestamptz) returns void language plpgsql as $$
begin
  if not exists (
    select from clock
     where ahead_ms = ahead and (case when halted_until > now() then halted_at end) is not distinct from halted
  ) then
    raise exception 'the clock was moved' using errcode = 'TR002';
  end if;
end $$;
