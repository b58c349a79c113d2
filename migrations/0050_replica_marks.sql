-- When the service last left a mark on the primary, by the primary's clock. A replica repeats commits in their order, so one
-- that shows a mark shows all that was committed before it. One row, updated in place.
create table replica_marks (
  only_one  boolean primary key default true check (only_one),
  marked_at timestamptz not null
) with (fillfactor = 10);
insert into replica_marks (marked_at) values (clock_timestamp());
