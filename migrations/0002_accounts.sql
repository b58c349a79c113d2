-- Whose charges and orders they are. The id is the caller's own word for it.
create table accounts (
  id         text primary key check (length(id) between 1 and 255),
  created_at timestamptz not null
);
