-- Webhooks, and what was sent to them. See docs/decisions/0022-webhooks.md.

-- URLs that receive events. The secret itself is stored, sealed where there is a master key, because it signs each delivery.
create table webhooks (
  id              uuid primary key,
  -- Null: events of every account. No foreign key: a sandbox accepts a webhook for an account that does not exist yet.
  account_id      text,
  url             text not null check (length(url) between 1 and 2048),
  -- Null: every type.
  types           text[] check (cardinality(types) >= 1),
  enabled         boolean not null,
  -- It receives events whose position is greater than this.
  from_position   bigint not null,
  -- Why the service disabled it; null when a caller did.
  disabled_reason text check (disabled_reason in ('gone')),
  secret          bytea not null,
  -- Earlier secrets that still sign, each until the time at the same index of old_until.
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
-- Webhooks whose last delivery failed, for /metrics.
create index webhooks_failing on webhooks (failing_since) where enabled and failing_since is not null;

-- One row for each event and each webhook that receives it. It stays pending until it is delivered or given up; of the pending
-- deliveries of one object, the one with the lowest position is sent first.
create table webhook_deliveries (
  id            uuid not null,
  account_id    text not null,
  webhook_id    uuid not null references webhooks (id),
  event_id      uuid not null,
  object_id     uuid not null,
  position      bigint not null,
  state         text not null check (state in ('pending', 'delivered', 'failed')),
  -- Grows when a caller asks for the event again, so that a late answer to an earlier round does not end a later one.
  round         integer not null default 0,
  -- Requests sent in this round, and in all rounds.
  attempts      integer not null default 0,
  sent          integer not null default 0,
  next_at       timestamptz not null,
  -- The worker that is sending it, and until when (by the database's clock) no other worker may.
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
create index webhook_deliveries_of_object on webhook_deliveries (object_id, webhook_id, position);
-- For the foreign key: without it, each event that is removed would read all deliveries.
create index webhook_deliveries_of_event on webhook_deliveries (event_id, account_id);
create index webhook_deliveries_claimed on webhook_deliveries (webhook_id, claimed_until) where claim is not null;
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, position desc, id desc);
create index webhook_deliveries_by_state on webhook_deliveries (webhook_id, state, position desc, id desc);

-- Every request, inserted before it is sent. A row without status and error belongs to a request that a crash cut short.
create table webhook_attempts (
  delivery_id uuid not null,
  account_id  text not null,
  number      integer not null,
  started_at  timestamptz not null,
  latency_ms  integer check (latency_ms >= 0),
  status      integer,
  error       text,
  -- The beginning of the response body.
  answer      text,
  primary key (delivery_id, account_id, number),
  foreign key (delivery_id, account_id) references webhook_deliveries (id, account_id)
);

-- Requests to send a webhook its events again, worked off in batches.
create table webhook_replays (
  id         uuid primary key,
  webhook_id uuid not null references webhooks (id),
  since      timestamptz not null,
  -- The last position that is done, and the last one to do.
  done       bigint not null,
  until      bigint not null,
  created_at timestamptz not null,
  -- Replays take turns: each goes on with a batch, and then to the end of the queue.
  moved_at   timestamptz not null default clock_timestamp()
);
