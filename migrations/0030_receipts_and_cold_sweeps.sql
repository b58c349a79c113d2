-- Keys that receipts of payouts were signed with. Those before the newest stay, so that old receipts can be verified.
create table receipt_keys (
  -- The thumbprint of RFC 7638.
  id          text primary key,
  public_key  bytea not null check (octet_length(public_key) = 32),
  -- PKCS #8; null for a key of payouts.receipts.keyFile.
  private_key bytea,
  created_at  timestamptz not null
);
-- The service makes one key at most.
create unique index receipt_keys_own on receipt_keys ((private_key is not null)) where private_key is not null;

-- A cold sweep is a payout to the cold address of its network, for no order.
alter table payouts alter column order_id drop not null;
alter table payouts
  -- Who asked for it, as the audit log writes actors.
  add column swept_by text,
  add check ((order_id is null) = (swept_by is not null));
-- A command that is repeated because its answer was lost does not sweep twice.
create unique index payouts_one_sweep on payouts (network, symbol) where order_id is null and state = 'open';

-- How an operator settled a transfer that arrived in another way than was asked.
alter table orders add column settled_as text check (settled_as in ('delivered', 'returned'));

alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check check (kind in (
  'payment', 'settlement', 'refund', 'commitment', 'release', 'payout', 'payout_undone', 'network_fee', 'network_fee_corrected',
  'cold_sweep', 'cold_sweep_undone', 'mismatch_settled'
));
alter table ledger_lines drop constraint ledger_lines_book_check;
alter table ledger_lines add constraint ledger_lines_book_check check (book in (
  'payer', 'receivable', 'settled', 'refund', 'exchange', 'fee', 'crypto_owed', 'crypto_paid', 'network_fee', 'cold_wallet'
));
