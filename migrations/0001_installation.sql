-- What this database is used for. A sandbox never becomes live by a changed variable: its charges cannot be paid.
create table installation (
  only_one   boolean primary key default true check (only_one),
  mode       text not null check (mode in ('sandbox', 'live')),
  created_at timestamptz not null
);
