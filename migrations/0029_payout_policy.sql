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
  'over_payout_limit', 'approval_needed', 'over_day_limit', 'wallet_refused', 'transfer_refused', 'no_funds', 'payout_stuck',
  'slot_taken', 'payout_voided', 'transfer_reverted', 'transfer_mismatched', 'reorganised'
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
