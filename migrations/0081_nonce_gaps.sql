-- Slots that nothing was ever sent in, so that nothing after them is mined, and the transactions that fill them.
alter table payouts
  -- It moves nothing: it uses up a slot that the books passed over.
  add column is_gap_fill boolean not null default false,
  drop constraint payouts_units_check,
  add constraint payouts_units_check check (units = trunc(units) and case when is_gap_fill then units = 0 else units > 0 end);

drop index payouts_one_sweep;
create unique index payouts_one_sweep on payouts (network, symbol) where order_id is null and state = 'open' and not is_gap_fill;

alter table payout_alarms drop constraint payout_alarms_reason_check;
alter table payout_alarms add constraint payout_alarms_reason_check check (reason in (
  'low_funds', 'above_ceiling', 'payout_stuck', 'payout_contradicted', 'finality_lag', 'fee_too_high', 'slot_taken',
  'network_silent', 'orders_waiting', 'nonce_gap'
));
