-- The order in which readers see events: a position given after the commit, one after the other, under the one row of
-- `event_feed`. Whoever follows positions passes over nothing, whatever order transactions commit in, and a position is plain
-- data that a dump carries to another server. What `xid` was kept for is done by it.
create table event_feed (
  only_one boolean primary key default true check (only_one),
  position bigint not null default 0 check (position >= 0)
);
insert into event_feed default values;

alter table events
  drop column xid,
  add column position bigint check (position >= 1);

create index events_unplaced on events (occurred_at, id) where position is null;
create unique index events_by_position on events (position) where position is not null;
create index events_by_account on events (account_id, position) where position is not null;
create index events_by_type on events (type, position) where position is not null;
create index events_by_time on events (occurred_at, position);
