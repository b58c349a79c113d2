-- Payouts: crypto on its way from one of our senders to a wallet. See docs/decisions/0019-orders.md.

-- The next nonce of each sender: read from the chain once, counted here from then on.
create table chain_senders (
  network    text not null,
  sender     text not null,
  next_nonce bigint not null check (next_nonce >= 0),
  primary key (network, sender)
);

-- One payout owns one nonce of its sender for ever, and every attempt at the payout uses that nonce, so at most one of them can
-- be mined.
create table payouts (
  id            uuid not null,
  account_id    text not null,
  order_id      uuid not null,
  network       text not null,
  sender        text not null,
  nonce         bigint not null check (nonce >= 0),
  symbol        text not null,
  units         numeric not null check (units > 0 and units = trunc(units)),
  destination   text not null,
  -- open: on its way; done: enough confirmations; final: not watched any more; reverted: its nonce is used and nothing moved.
  state         text not null check (state in ('open', 'done', 'final', 'reverted')),
  -- The attempt that the chain shows, and its confirmations.
  hash          text,
  confirmations integer not null default 0,
  -- What the chain showed at the last look, and when the next look is due; null when none is.
  last_sighting text check (last_sighting in ('absent', 'pending', 'stuck', 'mined', 'unknown')),
  next_look_at  timestamptz,
  -- Looks in a row that showed nothing new: each makes the next wait longer.
  idle_looks    integer not null default 0,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (id, account_id),
  unique (network, sender, nonce),
  foreign key (network, sender) references chain_senders (network, sender),
  foreign key (order_id, account_id) references orders (id, account_id)
);
-- Payouts that are still watched, oldest first: /metrics counts them from the index alone.
create index payouts_watched on payouts (created_at) include (network, state) where state in ('open', 'done');
create index payouts_next_look on payouts (next_look_at) where next_look_at is not null;
-- An order gets a second payout only after the first one reverted.
create unique index payouts_one on payouts (order_id, account_id) where state <> 'reverted';

-- Signed bytes, saved before they are sent and never changed.
create table payout_attempts (
  payout_id  uuid not null,
  account_id text not null,
  number     integer not null check (number >= 1),
  hash       text not null unique,
  raw        text not null,
  created_at timestamptz not null,
  primary key (payout_id, account_id, number),
  foreign key (payout_id, account_id) references payouts (id, account_id)
);
