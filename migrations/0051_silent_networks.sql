-- Since when no node of a network answers, as the judgements of its alarms found; null while one does.
alter table payout_watches add column silent_since timestamptz;

alter table payout_alarms drop constraint payout_alarms_reason_check;
alter table payout_alarms add constraint payout_alarms_reason_check check (reason in (
  'low_funds', 'above_ceiling', 'payout_stuck', 'payout_contradicted', 'finality_lag', 'fee_too_high', 'slot_taken',
  'network_silent', 'orders_waiting'
));
