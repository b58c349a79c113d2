-- Orders of crypto, on the wire `/crypto/transactions`. The list reads this table alone: the name and address of the wallet are
-- kept as they were when the order was made. Actors are written as in the audit log.
create table orders (
  id                  uuid not null,
  account_id          text not null references accounts (id),
  external_id         text check (length(external_id) between 1 and 255),
  -- One of five, as the API promises. Why an order is on hold, and how it ended when it was not fulfilled, are columns of their own.
  status              text not null check (status in (
    'pending_payment', 'pending_fulfillment', 'fulfillment_scheduled', 'fulfilling', 'fulfilled'
  )),
  symbol              text not null,
  network             text not null,
  quantity            numeric not null check (quantity > 0 and quantity < 'Infinity'),
  currency            text not null check (currency in ('BRL', 'USD', 'EUR')),
  cost                numeric not null check (cost > 0 and cost < 'Infinity'),
  price               numeric not null check (price > 0 and price < 'Infinity'),
  fee_cents           bigint not null default 0 check (fee_cents >= 0),
  price_source        text,
  price_at            timestamptz,
  quote_id            uuid references quotes (id),
  -- The price holds until then. Money that is complete later is not served at it.
  quote_expires_at    timestamptz,
  -- When a new price was taken for money that had come.
  repriced_at         timestamptz,
  -- No foreign key: the orders of the sandbox's demo name wallets that do not exist.
  wallet_id           text not null,
  wallet_address      text not null,
  wallet_name         text not null,
  -- No foreign key: charges.order_id points back, see 0008_charges.sql.
  charge_id           uuid,
  -- What must have come, in cents of reais.
  due_cents           bigint check (due_cents >= 1),
  settlement_schedule text not null check (settlement_schedule in ('D0', 'D1', 'D2')),
  settlement_date     timestamptz not null,
  hold_reason         text check (hold_reason in (
    'underpaid', 'quote_expired', 'refund_pending', 'partially_refunded', 'paid_after_end', 'payouts_paused',
    'over_payout_limit', 'approval_needed', 'over_day_limit', 'wallet_refused', 'transfer_refused', 'fee_too_high', 'no_funds',
    'payout_stuck', 'slot_taken', 'payout_voided', 'transfer_reverted', 'transfer_mismatched', 'reorganised'
  )),
  held_at             timestamptz,
  last_error          text,
  ended_as            text check (ended_as in ('expired', 'canceled', 'refunded')),
  ended_at            timestamptz,
  -- The ledger's commitment that is open now: its id, and the money and fee that were committed.
  commitment_id       uuid,
  committed_cents     bigint check (committed_cents >= 1),
  committed_fee_cents bigint check (committed_fee_cents >= 0),
  event_count         integer not null default 0,
  -- A repeated request must have the same content, and is answered with these exact bytes. Null in demo orders.
  content_hash        bytea,
  answer              json,
  -- Whole milliseconds, as the API shows them: a time that a caller read there is an exact bound of a list.
  created_at          timestamptz not null check (created_at = date_trunc('milliseconds', created_at)),
  updated_at          timestamptz not null,
  -- The request that took the price of repriced_at. Two requests may fall into one millisecond, so the time does not tell them apart.
  reprice_id          uuid,
  -- Since when it stands in the queue for a slot of its network; null when it does not.
  waits_since         timestamptz,
  -- It is passed over until then.
  not_before          timestamptz,
  -- The request that sent it again, so that its transaction, run again, finds its own change.
  retry_id            uuid,
  -- Null in orders from before 1.0.0.
  created_by          text,
  repriced_by         text,
  -- When the approvals of the payout at the terms that the order has were complete, and who gave the last one; a new price takes it back.
  approved_by         text,
  approved_at         timestamptz,
  -- How an operator settled a transfer that arrived in another way than was asked.
  settled_as          text check (settled_as in ('delivered', 'returned')),
  -- All approvals that were given, oldest first: [{ "by": actor, "at": time }]. Groups may ask for several.
  approvals           jsonb,
  primary key (id, account_id),
  constraint orders_asset foreign key (symbol, network) references network_assets (symbol, network),
  constraint orders_check1 check ((hold_reason is null) = (held_at is null)),
  constraint orders_check2 check ((ended_as is null) = (ended_at is null)),
  constraint orders_check3 check (
    (commitment_id is null) = (committed_cents is null) and (commitment_id is null) = (committed_fee_cents is null)),
  constraint orders_check4 check ((approved_by is null) = (approved_at is null))
);
-- One index finds an externalId, of one account or of any, as it does for charges.
create unique index orders_external_id on orders (external_id, account_id) where external_id is not null;
create index orders_held on orders (held_at) include (hold_reason) where hold_reason is not null;
create index orders_waiting on orders (network, waits_since, id) where waits_since is not null;
-- For the foreign key: without it, each quote that is removed would read all orders.
create index orders_by_quote on orders (quote_id) where quote_id is not null;

-- Two lists: orders that ended unfulfilled have one of their own, since there may be more of them than of the others; most carts are never
-- paid. Each combination of filters has an index in the order of the list, because a rare combination would otherwise be searched for
-- among many rows. See 0017_list_pages.sql.
create index orders_newest on orders (created_at desc, id desc) where ended_as is null;
create index orders_by_symbol on orders (symbol, created_at desc, id desc) where ended_as is null;
create index orders_by_status on orders (status, created_at desc, id desc) where ended_as is null;
create index orders_by_symbol_status on orders (symbol, status, created_at desc, id desc) where ended_as is null;
create index orders_by_account on orders (account_id, created_at desc, id desc) where ended_as is null;
create index orders_by_account_symbol on orders (account_id, symbol, created_at desc, id desc) where ended_as is null;
create index orders_by_account_status on orders (account_id, status, created_at desc, id desc) where ended_as is null;
create index orders_by_account_symbol_status on orders (account_id, symbol, status, created_at desc, id desc)
  where ended_as is null;
create index ended_orders_newest on orders (created_at desc, id desc) where ended_as is not null;
create index ended_orders_by_ending on orders (ended_as, created_at desc, id desc) where ended_as is not null;
create index ended_orders_by_account on orders (account_id, created_at desc, id desc) where ended_as is not null;
create index ended_orders_by_account_ending on orders (account_id, ended_as, created_at desc, id desc)
  where ended_as is not null;

-- A quote is used by one order, also when that order has taken another price since.
create table quote_uses (
  quote_id   uuid primary key references quotes (id),
  order_id   uuid not null,
  account_id text not null,
  foreign key (order_id, account_id) references orders (id, account_id)
);

-- What an order waits for. The sweep takes due timers, oldest first.
create table order_timers (
  order_id   uuid not null,
  account_id text not null,
  kind       text not null check (kind in ('expire', 'settle')),
  at         timestamptz not null,
  primary key (order_id, account_id, kind),
  foreign key (order_id, account_id) references orders (id, account_id)
);
create index order_timers_due on order_timers (at, order_id, kind);
