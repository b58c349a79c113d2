-- Addresses that want to hear of events. A secret is kept as it is: it signs what is sent.
create table webhooks (
  id              uuid primary key,
  -- Absent: events of every account.
  account_id      text,
  url             text not null check (length(url) between 1 and 2048),
  -- Absent: every type.
  types           text[] check (cardinality(types) >= 1),
  enabled         boolean not null,
  -- It hears of what the feed places after this.
  from_position   bigint not null,
  -- Why it was disabled when nobody asked for it.
  disabled_reason text check (disabled_reason in ('gone')),
  secret          bytea not null,
  -- Those before it that still sign, each until its own moment.
  old_secrets     bytea[] not null default '{}',
  old_until       timestamptz[] not null default '{}',
  -- Since when no delivery has succeeded, and what the last failure was.
  failing_since   timestamptz,
  last_error      text,
  last_error_at   timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  deleted_at      timestamptz,
  check (cardinality(old_secrets) = cardinality(old_until))
);

-- How far each reader of the feed has come.
create table event_readers (
  name     text primary key,
  position bigint not null check (position >= 0)
);
insert into event_readers (name, position) select 'webhooks', position from event_feed;

-- Each event for each webhook once. It stays pending until it is delivered or given up, and the earliest pending one of an
-- object goes first.
create table webhook_deliveries (
  id            uuid not null,
  account_id    text not null,
  webhook_id    uuid not null references webhooks (id),
  event_id      uuid not null,
  object_id     uuid not null,
  position      bigint not null,
  state         text not null check (state in ('pending', 'delivered', 'failed')),
  -- Counts how often it was asked for again, so that an answer to an earlier sending does not end a later one.
  round         integer not null default 0,
  -- Sendings of this round, and of all.
  attempts      integer not null default 0,
  sent          integer not null default 0,
  next_at       timestamptz not null,
  -- Who sends it, and until when (in the database's own time) nobody else does.
  claim         uuid,
  claimed_until timestamptz,
  created_at    timestamptz not null,
  delivered_at  timestamptz,
  primary key (id, account_id),
  foreign key (event_id, account_id) references events (id, account_id),
  unique (webhook_id, event_id, account_id),
  check ((claim is null) = (claimed_until is null))
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_at, position) where state = 'pending';
create index webhook_deliveries_of_object on webhook_deliveries (webhook_id, object_id, position) where state = 'pending';
create index webhook_deliveries_claimed on webhook_deliveries (webhook_id, claimed_until) where claim is not null;
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, position desc, id desc);
create index webhook_deliveries_by_state on webhook_deliveries (webhook_id, state, position desc, id desc);

-- Every sending, noted before it is made. One without an end was cut short.
create table webhook_attempts (
  delivery_id uuid not null,
  account_id  text not null,
  number      integer not null,
  started_at  timestamptz not null,
  latency_ms  integer check (latency_ms >= 0),
  status      integer,
  error       text,
  -- The beginning of what was answered.
  answer      text,
  primary key (delivery_id, account_id, number),
  foreign key (delivery_id, account_id) references webhook_deliveries (id, account_id)
);

-- Events that a webhook is to hear again, worked off in bites.
create table webhook_replays (
  id         uuid primary key,
  webhook_id uuid not null references webhooks (id),
  since      timestamptz not null,
  -- The last position that is done, and the last one to do.
  done       bigint not null,
  until      bigint not null,
  created_at timestamptz not null
);
