-- What belongs to no noun: the installation, times as text, leases, and small tables of the service itself.

-- The mode that this database was made for. A sandbox never becomes live by a changed setting: its charges cannot be paid.
create table installation (
  only_one      boolean primary key default true check (only_one),
  mode          text not null check (mode in ('sandbox', 'live')),
  created_at    timestamptz not null,
  -- Whether new secrets are sealed with the master key: since a first start with one, or since trilho secrets reseal. Until then every
  -- node can read them, also one that was not given the key yet.
  seals_secrets boolean not null default false,
  -- The archive of this installation names it, so that another folder is not taken for it: docs/retention.md.
  id            uuid not null default gen_random_uuid(),
  -- Whether archive.json was written: from then on a folder without it is not the archive.
  has_archive   boolean not null default false
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

-- A sweep locks this row until its transaction ends, so that due timers run once and in order when there are several nodes.
create table sweep_lock (only_one boolean primary key default true check (only_one));
insert into sweep_lock default values;

-- Which node does a piece of work that one node does at a time, and until when (by the database's clock) no other node may. Without a
-- row no node does it.
create table leases (
  work       text primary key,
  holder     uuid not null,
  held_until timestamptz not null
);

-- How far the removal of old rows has come: docs/retention.md. The lease of this work is in `leases`; holder and held_until are no longer
-- read.
create table pruning (
  only_one    boolean primary key default true check (only_one),
  holder      uuid,
  held_until  timestamptz,
  -- Quotes up to this one were looked at. Those that an order has used stay, and are not looked at again.
  quotes_done uuid not null default '00000000-0000-0000-0000-000000000000',
  check ((holder is null) = (held_until is null))
);
insert into pruning default values;

-- When the service last left a mark on the primary, by the primary's clock. A replica repeats commits in their order, so one that
-- shows a mark shows all that was committed before it. One row, updated in place.
create table replica_marks (
  only_one  boolean primary key default true check (only_one),
  marked_at timestamptz not null
) with (fillfactor = 10);
insert into replica_marks (marked_at) values (clock_timestamp());

-- The trace of the request that made a charge, an order or a payout, for what is done about it later. Written only while traces
-- are recorded.
create table object_traces (
  object_id   uuid primary key,
  traceparent text not null check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$'),
  created_at  timestamptz not null
);
create index object_traces_by_time on object_traces (created_at);

-- Each time this database was restored from a backup: what happened after as_of is not in it. Until compared_at, transfers since then may
-- be unknown, and the pause that the restore made is not ended.
create table restores (
  id          uuid primary key,
  as_of       timestamptz not null,
  restored_at timestamptz not null,
  pause_id    uuid not null,
  compared_at timestamptz,
  -- What an operator said instead of a comparison.
  note        text check (note is null or compared_at is not null)
);
