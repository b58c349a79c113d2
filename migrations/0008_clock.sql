-- How far business time runs ahead of the machine's, for all nodes alike. It moves only in a sandbox, and while it is being
-- moved it stands still where it is, so that what is due there is done at that moment; a mover that died does not hold it
-- for longer than its word. Its row is also what a sweep holds while it works, so that what is due is done once, in order.
create table clock (
  only_one     boolean primary key default true check (only_one),
  ahead_ms     bigint not null default 0 check (ahead_ms >= 0),
  halted_at    timestamptz,
  halted_until timestamptz,
  check ((halted_at is null) = (halted_until is null))
);
insert into clock default values;
