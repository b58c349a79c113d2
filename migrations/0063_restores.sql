-- Each time this database was restored from a backup: what happened after as_of is not in it. Until compared_at the transfers since then may be
-- unknown, and the pause that the restore made is not ended. note: what an operator said instead of a comparison.
create table restores (
  id          uuid primary key,
  as_of       timestamptz not null,
  restored_at timestamptz not null,
  pause_id    uuid not null,
  compared_at timestamptz,
  note        text check (note is null or compared_at is not null)
);
