-- How far business time runs ahead of the machine's, for all nodes alike. It moves only in a sandbox. Its row is also what
-- a sweep holds while it works, so that what is due is done once and in order.
create table clock (
  only_one boolean primary key default true check (only_one),
  ahead_ms bigint not null default 0 check (ahead_ms >= 0)
);
insert into clock default values;
