-- Lines leave the inbox many at a time: whether all of them are in the log is asked once, and not once for each.
drop trigger audit_inbox_loses_nothing on audit_inbox;
create or replace function refuse_audit_loss() returns trigger language plpgsql as $$
begin
  if exists (select from old_rows o where not exists (select from audit_log l where l.id = o.id)) then
    raise exception 'a line leaves the inbox only for the log' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;
create trigger audit_inbox_loses_nothing after delete on audit_inbox
  referencing old table as old_rows for each statement execute function refuse_audit_loss();
