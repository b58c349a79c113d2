-- What operators let payouts do.

-- No order that a row covers takes a slot. Actors are written as in the audit log: `key:<id>`, `operator` or `sandbox`.
create table payout_pauses (
  id        uuid primary key,
  -- Null: every network, every asset.
  network   text,
  symbol    text,
  reason    text check (length(reason) between 1 and 255),
  paused_at timestamptz not null,
  paused_by text not null
);
create unique index payout_pauses_one on payout_pauses ((coalesce(network, '')), (coalesce(symbol, '')));

alter table orders drop constraint orders_hold_reason_check;
alter table orders add constraint orders_hold_reason_check check (hold_reason in (
  'underpaid', 'quote_expired', 'refund_pending', 'partially_refunded', 'paid_after_end', 'payouts_paused',
  'over_payout_limit', 'approval_needed', 'over_day_limit', 'wallet_refused', 'transfer_refused', 'fee_too_high', 'no_funds',
  'payout_stuck', 'slot_taken', 'payout_voided', 'transfer_reverted', 'transfer_mismatched', 'reorganised'
));

alter table orders
  -- Null in orders from before this migration.
  add column created_by  text,
  add column repriced_by text,
  -- Who approved the payout at the terms that the order has; a new price takes it back.
  add column approved_by text,
  add column approved_at timestamptz,
  add check ((approved_by is null) = (approved_at is null));

create index payouts_newest on payouts (created_at desc, id desc);
-- What left lately, of an asset and to one address. A payout that moved nothing counts for no limit.
create index payouts_by_asset on payouts (network, symbol, created_at) include (units)
  where state not in ('reverted', 'voided');
create index payouts_by_destination on payouts (destination, network, symbol, created_at) include (units)
  where state not in ('reverted', 'voided');

-- What operators should look at: raised once, cleared once. `subject` is the asset, the coin or the sender; empty for a network.
create table payout_alarms (
  id         uuid primary key,
  reason     text not null check (reason in (
    'low_funds', 'above_ceiling', 'payout_stuck', 'finality_lag', 'fee_too_high', 'slot_taken'
  )),
  network    text not null,
  subject    text not null,
  words      text not null,
  raised_at  timestamptz not null,
  cleared_at timestamptz
);
create unique index payout_alarms_open on payout_alarms (network, reason, subject) where cleared_at is null;
-- When the alarms of a network are judged next; the node that moves the time on does it.
create table payout_watches (
  network text primary key,
  next_at timestamptz not null
);
