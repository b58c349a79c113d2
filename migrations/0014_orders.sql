-- A key stands for whatever was made under it, not for a charge alone.
alter table idempotency_keys rename column charge_id to object_id;

-- What waits for a charge's money, and how much of that money has been turned into crypto and cannot go back.
alter table charges
  add column transaction_id  uuid,
  add column committed_cents bigint not null default 0 check (committed_cents >= 0);

-- Timers at which somebody outside is asked, or an order goes on: time that is moved stops at each of them.
alter table charge_timers add column is_awaited boolean not null default false;
update charge_timers set is_awaited = true where kind = 'reconcile';
drop index charge_timers_reconcile;
create index charge_timers_awaited on charge_timers (at) where is_awaited;

-- A transaction is an order with a life. The status stays one of five; why it rests, and how it ended when it did not end
-- fulfilled, stand beside it.
alter table crypto_transactions
  add column external_id      text check (length(external_id) between 1 and 255),
  add column quote_id         uuid,
  add column charge_id        uuid,
  add column fee_cents        bigint not null default 0 check (fee_cents >= 0),
  add column price_source     text,
  add column price_at         timestamptz,
  -- Until when the price holds. Money that is complete later is not served at it.
  add column quote_expires_at timestamptz,
  -- What must have come, in cents of reais.
  add column due_cents        bigint check (due_cents >= 1),
  -- When a new price was taken for money that had come.
  add column repriced_at      timestamptz,
  add column hold_reason      text check (hold_reason in (
    'underpaid', 'quote_expired', 'refund_pending', 'partially_refunded', 'paid_after_end', 'transfer_reverted', 'reorganised'
  )),
  add column held_at          timestamptz,
  add column last_error       text,
  add column ended_as         text check (ended_as in ('expired', 'canceled', 'refunded')),
  add column ended_at         timestamptz,
  -- The ledger's word for what is promised now.
  add column commitment_id    uuid,
  add column committed_cents  bigint check (committed_cents >= 1),
  add column committed_fee_cents bigint check (committed_fee_cents >= 0),
  add column event_count      integer not null default 0,
  add column content_hash     bytea,
  add column answer           json,
  add check ((hold_reason is null) = (held_at is null)),
  add check ((ended_as is null) = (ended_at is null)),
  add check ((commitment_id is null) = (committed_cents is null) and (commitment_id is null) = (committed_fee_cents is null));

create unique index crypto_transactions_external_id on crypto_transactions (account_id, external_id)
  where external_id is not null;
create index crypto_transactions_held on crypto_transactions (held_at) where hold_reason is not null;

-- The list shows what has not ended otherwise.
drop index crypto_transactions_newest, crypto_transactions_by_symbol, crypto_transactions_by_status;
create index crypto_transactions_newest on crypto_transactions (created_at desc, id desc) where ended_as is null;
create index crypto_transactions_by_symbol on crypto_transactions (symbol, created_at desc, id desc) where ended_as is null;
create index crypto_transactions_by_status on crypto_transactions (status, created_at desc, id desc) where ended_as is null;

-- A quote locks one price for one order, also when that order has taken another since.
create table quote_uses (
  quote_id       uuid primary key references quotes (id),
  transaction_id uuid not null,
  account_id     text not null,
  foreign key (transaction_id, account_id) references crypto_transactions (id, account_id)
);

-- What an order waits for. The sweep takes what is due, oldest first.
create table transaction_timers (
  transaction_id uuid not null,
  account_id     text not null,
  kind           text not null check (kind in ('expire', 'settle', 'look')),
  at             timestamptz not null,
  primary key (transaction_id, account_id, kind),
  foreign key (transaction_id, account_id) references crypto_transactions (id, account_id)
);
create index transaction_timers_due on transaction_timers (at, transaction_id, kind);

-- Crypto on its way: one payout owns one slot of its sender for ever, and every attempt at it shares that slot.
create table payouts (
  id             uuid not null,
  account_id     text not null,
  transaction_id uuid not null,
  network        text not null,
  sender         text not null,
  nonce          bigint not null check (nonce >= 0),
  symbol         text not null,
  units          numeric not null check (units > 0 and units = trunc(units)),
  destination    text not null,
  -- open: on its way; done: deep enough; final: nobody looks any more; reverted: its slot is burnt and nothing moved.
  state          text not null check (state in ('open', 'done', 'final', 'reverted')),
  -- The attempt that the chain shows, and how deep it lies.
  hash           text,
  confirmations  integer not null default 0,
  -- Looks in a row that showed nothing new: each makes the next wait longer.
  idle_looks     integer not null default 0,
  created_at     timestamptz not null,
  updated_at     timestamptz not null,
  primary key (id, account_id),
  unique (network, sender, nonce),
  foreign key (transaction_id, account_id) references crypto_transactions (id, account_id)
);
-- A second payout is made only when the first has burnt.
create unique index payouts_one on payouts (transaction_id, account_id) where state <> 'reverted';

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

-- The next slot of each sender: asked of the chain once, counted by us from then on.
create table chain_senders (
  network    text not null,
  sender     text not null,
  next_nonce bigint not null check (next_nonce >= 0),
  primary key (network, sender)
);
