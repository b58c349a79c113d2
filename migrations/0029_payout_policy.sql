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
  'underpaid', 'quote_expired', 'refund_pending', 'partially_refunded', 'paid_after_end', 'payouts_paused', 'wallet_refused',
  'transfer_refused', 'no_funds', 'payout_stuck', 'slot_taken', 'payout_voided', 'transfer_reverted', 'transfer_mismatched', 'reorganised'
));
