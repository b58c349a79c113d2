-- Files of boletos that a service carries to and from banks itself, what banks keep for it, and the simulated bank of a sandbox.

-- Files at the SFTP server of a bank that were fetched. A file is known by name, size and time, so that one with the name of an
-- older one is another file.
create table boleto_fetched_files (
  rail        text not null references boleto_agreements (rail),
  name        text not null,
  bytes       bigint not null check (bytes >= 0),
  modified_at timestamptz not null,
  fetched_at  timestamptz not null,
  return_id   uuid references boleto_returns (id),
  -- Why it is no return file of the agreement; null when it was read.
  refusal     text,
  primary key (rail, name, bytes, modified_at),
  check ((return_id is null) <> (refusal is null))
);

-- When a node last met the server of the bank, and when one does so next.
alter table boleto_agreements
  add column next_exchange_at timestamptz,
  -- Until then a node that meets it has ended, or has died.
  add column turn_until timestamptz,
  add column exchanged_at timestamptz,
  -- Why the last exchange failed; null when it did not.
  add column exchange_error text;

-- By which way a boleto was paid, in the bank's code.
alter table payments add column channel text check (channel ~ '^[0-9A-Z]{2}$');

-- What a bank keeps of a payment.
alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check check (kind in (
  'payment', 'settlement', 'refund', 'commitment', 'release', 'payout', 'payout_undone', 'network_fee', 'network_fee_corrected',
  'cold_sweep', 'cold_sweep_undone', 'mismatch_settled', 'bank_fee'
));
alter table ledger_lines drop constraint ledger_lines_book_check;
alter table ledger_lines add constraint ledger_lines_book_check check (book in (
  'payer', 'receivable', 'settled', 'refund', 'exchange', 'fee', 'crypto_owed', 'crypto_paid', 'network_fee', 'cold_wallet', 'bank_fee'
));

-- What banks had kept of payments before there was a book for it; of a paid boleto that is not credited yet it is booked then.
with kept as materialized (
  select gen_random_uuid() as id, p.account_id, p.charge_id, p.id as payment_id, p.paid_at, p.fee_cents
    from payments p
    join charge_methods m on m.charge_id = p.charge_id and m.account_id = p.account_id and m.method = p.method
   where p.fee_cents > 0 and not (p.method = 'boleto' and m.status = 'PAID' and not p.is_repeat)
), entries as (
  insert into ledger_entries (id, account_id, kind, cause_id, charge_id, at)
  select id, account_id, 'bank_fee', payment_id, charge_id, paid_at from kept
)
insert into ledger_lines (entry_id, account_id, book, currency, amount)
select kept.id, kept.account_id, moved.book, 'BRL', moved.amount
  from kept cross join lateral (values ('settled', -fee_cents), ('bank_fee', fee_cents)) as moved (book, amount);

-- What the simulated bank of an agreement remembers, as JSON. Live has the table too and leaves it empty.
create table sandbox_banks (
  rail  text primary key,
  state text not null
);
