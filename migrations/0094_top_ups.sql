-- Coin that one sender of the service gives to another, so that it can pay fees. A row is made once for a key; it may wait for approvals.
create table top_ups (
  id           uuid primary key,
  -- The caller's own id of the request.
  request_key  text unique check (length(request_key) between 1 and 255),
  network      text not null,
  sender       text not null,
  destination  text not null check (destination <> sender),
  symbol       text not null,
  units        numeric not null check (units > 0 and units = trunc(units)),
  -- As the audit log writes actors.
  requested_by text not null,
  -- [{ "by": actor, "at": time }], oldest first.
  approvals    jsonb not null default '[]',
  created_at   timestamptz not null,
  -- The payout that sends it.
  payout_id    uuid unique
);
create index top_ups_in_order on top_ups (created_at, id);

alter table payouts add column is_top_up boolean not null default false;
drop index payouts_one_sweep;
create unique index payouts_one_sweep on payouts (network, symbol)
  where order_id is null and state = 'open' and not is_gap_fill and not is_top_up;
-- A command that is repeated without a key because its answer was lost does not send twice.
create unique index payouts_one_top_up on payouts (network, destination) where is_top_up and state = 'open';
-- From which the last 24 hours are counted.
create index payouts_top_ups on payouts (network, symbol, created_at) include (units)
  where is_top_up and state not in ('reverted', 'voided');

alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check check (kind in (
  'payment', 'settlement', 'refund', 'commitment', 'release', 'payout', 'payout_undone', 'network_fee', 'network_fee_corrected',
  'cold_sweep', 'cold_sweep_undone', 'mismatch_settled', 'bank_fee', 'top_up', 'top_up_undone'
));
alter table ledger_lines drop constraint ledger_lines_book_check;
alter table ledger_lines add constraint ledger_lines_book_check check (book in (
  'payer', 'receivable', 'settled', 'refund', 'exchange', 'fee', 'crypto_owed', 'crypto_paid', 'network_fee', 'cold_wallet', 'bank_fee',
  'own_senders'
));
