-- Slots for which no transfer may or can be signed.
alter table payouts add column unsigned_reason text
  check (unsigned_reason in ('wallet_refused', 'payouts_paused', 'transfer_refused'));

alter table payout_alarms drop constraint payout_alarms_reason_check;
alter table payout_alarms add constraint payout_alarms_reason_check check (reason in (
  'low_funds', 'above_ceiling', 'payout_stuck', 'payout_contradicted', 'finality_lag', 'fee_too_high', 'slot_taken',
  'network_silent', 'orders_waiting', 'nonce_gap', 'slot_unsigned'
));
