-- What a payout can show of itself, also when the chain and the database tell different stories.

-- A slot that somebody else used up is void for the payout that had it: after a restore the transfer that did use it may turn up,
-- and belongs to another order.
alter table payouts drop constraint payouts_network_sender_nonce_key;
create unique index payouts_slot on payouts (network, sender, nonce) where state <> 'voided' or hash is not null;
-- Pages of all payouts of a sender, in the order of their slots.
create index payouts_by_slot on payouts (network, sender, nonce, id);

alter table payouts
  -- The chain that it was made for, whatever the settings say later: its id where it has one, the contract of the token, and
  -- whether a test node stood for the network.
  add column chain_id bigint,
  add column token text,
  add column is_test boolean,
  -- When signed bytes were first handed to a node.
  add column sent_at timestamptz,
  -- Since when nodes that answer do not show what made it `done`.
  add column contradicted_at timestamptz;
create index payouts_contradicted on payouts (network, contradicted_at) where contradicted_at is not null;

alter table payout_alarms drop constraint payout_alarms_reason_check;
alter table payout_alarms add constraint payout_alarms_reason_check check (reason in (
  'low_funds', 'above_ceiling', 'payout_stuck', 'payout_contradicted', 'finality_lag', 'fee_too_high', 'slot_taken'
));
