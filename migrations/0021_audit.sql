-- Who changed what. A change's own transaction puts a line into the inbox, which costs no lock; a moment later one node at a
-- time moves what was committed into the log, where each line's hash covers the hash before it.
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

-- Whoever holds this row moves lines; the others wait.
create table audit_seal (only_one boolean primary key default true check (only_one));
insert into audit_seal default values;

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only added to' using errcode = 'restrict_violation';
end $$;

create function refuse_audit_loss() returns trigger language plpgsql as $$
begin
  if exists (select from audit_log where id = old.id) then return old; end if;
  raise exception 'a line leaves the inbox only for the log' using errcode = 'restrict_violation';
end $$;

create trigger audit_log_is_added_to before update or delete or truncate on audit_log
  for each statement execute function refuse_audit_change();
create trigger audit_inbox_is_added_to before update or truncate on audit_inbox
  for each statement execute function refuse_audit_change();
create trigger audit_inbox_loses_nothing before delete on audit_inbox
  for each row execute function refuse_audit_loss();
