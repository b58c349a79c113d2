-- Every rail that this service has had. One that charges are still on must stay configured.
create table rails (
  name          text not null,
  method        text not null check (method in ('boleto', 'pix')),
  -- The last part of the address at which its bank tells of payments: nobody can guess it.
  path_token    text not null,
  -- Every payment up to here was asked for; null: the bank is not asked by time.
  seen_until    timestamptz,
  -- A node that asks takes this moment forward, so that no other asks, too.
  next_look_at  timestamptz,
  -- Since when the bank has not answered.
  silent_since  timestamptz,
  primary key (name, method)
);

-- What banks sent of their own accord, as it came. Only the ids of payments are taken from it; the bank is asked for the rest.
create table notifications (
  id          uuid primary key,
  rail        text not null,
  body        text not null,
  received_at timestamptz not null,
  handled_at  timestamptz
);
create index notifications_handled on notifications (handled_at);
