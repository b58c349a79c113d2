-- The place of an event stands in a row of its own. Beside the event, giving it meant writing the whole event a second time, with
-- all its indexes. What waits for its place is noted by whoever writes an event, in the order of writing: whoever changes an object
-- holds it, so events of one object come in the order of their sequence.
--
-- Nobody writes events while they are copied, nor gives them places: what came between two looks would be in neither.
lock table event_feed, events in access exclusive mode;

create table unplaced_events (
  number     bigint generated always as identity primary key,
  event_id   uuid not null,
  account_id text not null,
  type       text not null,
  object_id  uuid not null
);
-- It is filled and emptied all the time, and looked at ten times a second.
alter table unplaced_events set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000);

create table event_places (
  position   bigint primary key check (position >= 1),
  event_id   uuid not null,
  account_id text not null,
  type       text not null,
  object_id  uuid not null
);

insert into event_places (position, event_id, account_id, type, object_id)
select position, id, account_id, type, object_id from events where position is not null order by position;

insert into unplaced_events (event_id, account_id, type, object_id)
select id, account_id, type, object_id
  from (select e.*, max(occurred_at) over (partition by object_id, account_id order by sequence) as at
          from events e where position is null) waiting
 order by at, object_id, account_id, sequence;

create unique index event_places_of_event on event_places (event_id);
create index event_places_by_account on event_places (account_id, position);
create index event_places_by_type on event_places (type, position);

-- The indexes that hold it go with it.
alter table events drop column position;
create index events_by_time on events (occurred_at);

create function note_unplaced() returns trigger language plpgsql as $$
begin
  insert into unplaced_events (event_id, account_id, type, object_id)
  select id, account_id, type, object_id from new_rows;
  return null;
end
$$;
create trigger events_to_place after insert on events
  referencing new table as new_rows for each statement execute function note_unplaced();

analyze event_places;
