-- Locations that were taken at a PSP before the charge that they are for, so that a code is there while the PSP is not. A row is
-- free until a charge has it, and then stays that charge's: the address stands in the code that was handed out.
create table rail_locations (
  rail       text not null,
  kind       text not null,
  -- The PSP's number of it. One that starts anew counts from one again, so it identifies nothing here.
  id         text not null,
  url        text not null,
  created_at timestamptz not null,
  charge_id  uuid,
  account_id text,
  primary key (rail, url),
  foreign key (charge_id, account_id) references charges (id, account_id),
  check ((charge_id is null) = (account_id is null))
);
create index rail_locations_free on rail_locations (rail, kind, created_at, url) where charge_id is null;

-- A node that takes locations moves this moment forward, so that no other takes them, too.
alter table rails add column next_fill_at timestamptz;

-- The location that a method was given: every request about it must name the same one.
alter table charge_methods add column location jsonb;
