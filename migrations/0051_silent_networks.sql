-- Since when no node of a network answers, as the judgements of its alarms found; null while one does.
alter table payout_watches add column silent_since timestamptz;

alter table payout_alarms drop constraint payout_alarms_reason_check;
alter table payout_alarms add constraint payout_alarms_reason_check check (reason in (
  'low_funds', 'above_ceiling', 'payout_stuck', 'payout_contradicted', 'finality_lag', 'fee_too_high', 'slot_taken',
  'network_silent', 'orders_waiting'
));

-- What an operator has said of a difference between the books and a chain; the newest word on a subject counts.
create table chain_explanations (
  id           uuid primary key,
  network      text not null,
  sender       text not null,
  subject      text not null,
  note         text not null,
  explained_at timestamptz not null
);
create index chain_explanations_by_sender on chain_explanations (network, sender);
