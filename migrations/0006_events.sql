-- What happened, in the words of the API, written with the change itself. `sequence` counts the events of one object;
-- `xid` tells a reader which transactions are still open, so that it never passes over one that commits late.
create table events (
  id          uuid not null,
  account_id  text not null,
  type        text not null,
  object_id   uuid not null,
  sequence    integer not null check (sequence >= 1),
  occurred_at timestamptz not null,
  object      jsonb not null,
  xid         xid8 not null default pg_current_xact_id(),
  primary key (id, account_id),
  unique (object_id, account_id, sequence)
);
