-- Its archive names the installation, so that another folder is not taken for it: docs/operations.md, «The archive».
alter table installation
  add column id uuid not null default gen_random_uuid(),
  -- Whether archive.json was written: from then on a folder without it is not the archive.
  add column has_archive boolean not null default false;
-- A backup from before this migration that is restored comes to the same id again.
update installation set id = md5(mode || extract(epoch from created_at))::uuid;
