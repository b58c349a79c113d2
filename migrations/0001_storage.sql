-- What belongs to no room of its own: the mode of the installation, times as text, the audit log and the lock of the sweep.

-- The mode that this database was made for. A sandbox never becomes live by a changed setting: its charges cannot be paid.
create table installation (
  only_one   boolean primary key default true check (only_one),
  mode       text not null check (mode in ('sandbox', 'live')),
  created_at timestamptz not null
);

-- A time as the API writes it: ISO 8601 in UTC, milliseconds, Z.
create function iso_utc(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- A time from milliseconds since 1970. PostgreSQL multiplies an interval in floating point: whole seconds stay exact to the
-- year 9999, milliseconds only to 2255, so the two are added up separately.
create function from_epoch_ms(ms bigint) returns timestamptz
  language sql stable strict parallel safe
  return timestamptz 'epoch' + ms / 1000 * interval '1 second' + ms % 1000 * interval '1 millisecond';

-- The audit log: who changed what. The transaction of a change inserts its line into the inbox, which takes no lock. A moment
-- later one node at a time moves committed lines into the log, where the hash of each line covers the hash before it.
create table audit_inbox (
  id         uuid primary key,
  at         timestamptz not null check (at = date_trunc('milliseconds', at)),
  actor      text not null,
  action     text not null,
  object_id  text,
  request_id text,
  status     integer not null
);

create table audit_log (
  position   bigint primary key check (position >= 1),
  id         uuid not null unique,
  at         timestamptz not null check (at = date_trunc('milliseconds', at)),
  actor      text not null,
  action     text not null,
  object_id  text,
  request_id text,
  status     integer not null,
  hash       bytea not null check (length(hash) = 32)
);

-- The node that locks this row moves lines into the log; other nodes wait.
create table audit_seal (only_one boolean primary key default true check (only_one));
insert into audit_seal default values;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only added to' using errcode = 'restrict_violation';
end
$$;
create trigger audit_log_append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
create trigger audit_inbox_append_only before update or truncate on audit_inbox
  for each statement execute function refuse_audit_change();

-- Checks all deleted lines in one query: lines leave the inbox in batches, and a check per line takes three times as long.
create function refuse_audit_loss() returns trigger language plpgsql as $$
begin
  if exists (select from deleted_lines d where not exists (select from audit_log l where l.id = d.id)) then
    raise exception 'a line leaves the inbox only for the log' using errcode = 'restrict_violation';
  end if;
  return null;
end
$$;
create trigger audit_inbox_moves_only_to_log after delete on audit_inbox
  referencing old table as deleted_lines for each statement execute function refuse_audit_loss();

-- A sweep locks this row until its transaction ends, so that due timers run once and in order, on whichever node.
create table sweep_lock (only_one boolean primary key default true check (only_one));
insert into sweep_lock default values;
