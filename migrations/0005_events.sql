-- Events and their order in the feed. See docs/decisions/0021-event-feed.md.

-- What happened to a charge or an order, as the API shows it, inserted in the transaction of the change itself. `sequence`
-- counts the events of one object. There is no foreign key to accounts: the object's own row has it, and events are written with
-- every charge.
create table events (
  id          uuid not null,
  account_id  text not null,
  type        text not null,
  object_id   uuid not null,
  sequence    integer not null check (sequence >= 1),
  occurred_at timestamptz not null,
  object      jsonb not null,
  primary key (id, account_id),
  unique (object_id, account_id, sequence)
);
create index events_by_time on events (occurred_at);

-- The last position given. The transaction that gives positions locks this row, so positions become visible in their order and a
-- reader of «position > n» misses no event, whatever order transactions commit in.
create table event_feed (
  only_one boolean primary key default true check (only_one),
  position bigint not null default 0 check (position >= 0)
);
insert into event_feed default values;

-- Events that have no position yet, numbered as they were written. A transaction locks an object before it changes it, so the
-- events of one object are numbered in the order of their sequence.
-- The table fills and empties all the time and is read ten times a second, so autovacuum must not wait for a share of its size.
create table unpositioned_events (
  number     bigint generated always as identity primary key,
  event_id   uuid not null,
  account_id text not null,
  type       text not null,
  object_id  uuid not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

-- The position of each event in the feed. It is plain data that a dump carries to another server, unlike a transaction id.
-- It is not a column of `events`: an update would write the whole event, and every index of it, a second time.
create table event_positions (
  position   bigint primary key check (position >= 1),
  event_id   uuid not null,
  account_id text not null,
  type       text not null,
  object_id  uuid not null
);
create unique index event_positions_of_event on event_positions (event_id);
create index event_positions_by_account on event_positions (account_id, position);
create index event_positions_by_type on event_positions (type, position);

create function queue_events_for_position() returns trigger language plpgsql as $$
begin
  insert into unpositioned_events (event_id, account_id, type, object_id)
  select id, account_id, type, object_id from inserted_events;
  return null;
end
$$;
create trigger events_queue_for_position after insert on events
  referencing new table as inserted_events for each statement execute function queue_events_for_position();

-- How far each reader of the feed has come.
create table event_readers (
  name     text primary key,
  position bigint not null check (position >= 0)
);
insert into event_readers (name, position) values ('webhooks', 0);

-- The last event of each account that was moved into the archive. A reader of the feed that stands before it has missed something.
create table removed_events (
  account_id text primary key,
  position   bigint not null check (position >= 1),
  -- The end of the event's id, as in cursors.
  mark       text not null
);
create index removed_events_by_position on removed_events (position);

-- Cursors of the feed are encrypted, so that the position in one does not show a caller how many events all accounts have. Cursors of
-- 0.2.0 show the position; they are taken up to the last position that such a cursor can have.
create table event_cursors (
  only_one   boolean primary key default true check (only_one),
  key        bytea not null check (octet_length(key) = 32),
  plain_upto bigint not null check (plain_upto >= 0)
);
insert into event_cursors (key, plain_upto)
values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), 0);
