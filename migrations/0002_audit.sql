-- The audit log: who changed what. The transaction of a change inserts its line into the inbox, which takes no lock. A moment
-- later one node at a time moves committed lines into the log, where the hash of each line covers the hash before it.

create table audit_inbox (
  id         uuid primary key,
  at         timestamptz not null check (at = date_trunc('milliseconds', at)),
  -- `operator`, `sandbox`, `key:<id>` or `person:<id>`. Other tables write actors in the same way.
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

-- How far events and the audit log were moved into the archive: docs/decisions/0047-retention.md. Rows up to this position are in files.
create table archive_cuts (
  kind     text primary key check (kind in ('audit', 'events')),
  position bigint not null default 0 check (position >= 0),
  -- Of the last audit line that was removed, or of the last file of events: what comes next covers it.
  hash     bytea not null default decode(repeat('00', 32), 'hex') check (length(hash) = 32)
);
insert into archive_cuts (kind) values ('audit'), ('events');

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only added to' using errcode = 'restrict_violation';
end
$$;
create trigger audit_log_append_only before update or truncate on audit_log
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
create trigger audit_log_deleted_up_to_cut after delete on audit_log
  referencing old table as deleted_lines for each statement execute function refuse_audit_deletion();
