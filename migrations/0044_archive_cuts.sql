-- How far events and the audit log were moved into the archive: docs/decisions/0047-retention.md.

-- Rows up to this position are in files. `hash` is that of the last audit line that was removed, or of the last file of events: what
-- comes next covers it.
create table archive_cuts (
  kind     text primary key check (kind in ('audit', 'events')),
  position bigint not null default 0 check (position >= 0),
  hash     bytea not null default decode(repeat('00', 32), 'hex') check (length(hash) = 32)
);
insert into archive_cuts (kind) values ('audit'), ('events');

-- The cut of the audit log moves only to a line that is there, whose hash it takes. Lines are deleted only up to it.
create function check_audit_cut() returns trigger language plpgsql as $$
begin
  if new.kind <> old.kind
     or (old.kind = 'audit' and not exists (
       select from audit_log l where l.position = new.position and l.hash = new.hash and new.position > old.position)) then
    raise exception 'the audit log is cut only at one of its lines' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger archive_cuts_at_a_line before update on archive_cuts
  for each row execute function check_audit_cut();

create function refuse_audit_deletion() returns trigger language plpgsql as $$
begin
  if exists (select from deleted_lines d
              where d.position > coalesce((select c.position from archive_cuts c where c.kind = 'audit'), 0)) then
    raise exception 'the audit log is only added to' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
drop trigger audit_log_append_only on audit_log;
create trigger audit_log_append_only before update or truncate on audit_log
  for each statement execute function refuse_audit_change();
create trigger audit_log_deleted_up_to_cut after delete on audit_log
  referencing old table as deleted_lines for each statement execute function refuse_audit_deletion();

-- The last event of each account that was removed. A reader of the feed that stands before it has missed something.
create table removed_events (
  account_id text primary key,
  position   bigint not null check (position >= 1),
  -- The end of the event's id, as in cursors.
  mark       text not null
);
create index removed_events_by_position on removed_events (position);

-- For the foreign key: without it, each event that is removed would read all deliveries.
create index webhook_deliveries_of_event on webhook_deliveries (event_id, account_id);
