-- The ledger: every movement of money or crypto as an entry whose lines sum to zero in each currency. An entry is inserted in the
-- transaction of the movement and never changed; a mistake is corrected by a further entry.
-- There are no foreign keys to charges and orders: the ledger does not depend on the rooms that post to it.
create table ledger_entries (
  id         uuid not null,
  account_id text not null,
  kind       text not null check (kind in (
    'payment', 'settlement', 'refund', 'commitment', 'release', 'payout', 'payout_undone', 'network_fee', 'network_fee_corrected',
    'cold_sweep', 'cold_sweep_undone', 'mismatch_settled', 'bank_fee', 'top_up', 'top_up_undone'
  )),
  -- What moved: the payment, the charge whose boleto was credited, the refund, the commitment, the payout.
  cause_id   uuid not null,
  charge_id  uuid,
  order_id   uuid,
  at         timestamptz not null,
  primary key (id, account_id),
  -- The same cause posts once.
  unique (cause_id, account_id, kind)
);
create index ledger_entries_newest on ledger_entries (at desc, id desc);
create index ledger_entries_by_account on ledger_entries (account_id, at desc, id desc);
create index ledger_entries_by_charge on ledger_entries (charge_id, at desc, id desc) where charge_id is not null;
create index ledger_entries_by_order on ledger_entries (order_id, at desc, id desc) where order_id is not null;

-- An entry names a book at most once per currency. Amounts are whole: cents, or the smallest units of an asset on its network
-- (`usdt.polygon`), because decimals differ between networks.
create table ledger_lines (
  entry_id   uuid not null,
  account_id text not null,
  book       text not null check (book in (
    'payer', 'receivable', 'settled', 'refund', 'exchange', 'fee', 'crypto_owed', 'crypto_paid', 'network_fee', 'cold_wallet', 'bank_fee',
    'own_senders'
  )),
  currency   text not null check (currency ~ '^(BRL|[a-z0-9]+\.[a-z0-9]+)$'),
  amount     numeric not null check (amount <> 0 and scale(amount) = 0),
  primary key (entry_id, account_id, book, currency),
  foreign key (entry_id, account_id) references ledger_entries (id, account_id)
);
create index ledger_lines_balances on ledger_lines (account_id, book, currency) include (amount);

-- All lines of an entry are inserted by one statement, so its transition table holds the whole entry.
create function refuse_unbalanced_lines() returns trigger language plpgsql as $$
begin
  if exists (select from posted_lines group by entry_id, account_id, currency having sum(amount) <> 0) then
    raise exception 'the lines of an entry do not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create trigger ledger_lines_balanced after insert on ledger_lines
  referencing new table as posted_lines for each statement execute function refuse_unbalanced_lines();

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is only added to' using errcode = 'restrict_violation';
end
$$;
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_ledger_change();
create trigger ledger_lines_append_only before update or delete or truncate on ledger_lines
  for each statement execute function refuse_ledger_change();

-- The balance of each book, so that a page reads no lines for it. A trigger records what a statement changed; a moment later it is merged
-- into the balances (merge_kept_sums). Writers never update a shared row, so they do not wait for each other, and in any snapshot a
-- change is in one of the two tables.
create table ledger_balances (
  account_id text    not null,
  book       text    not null,
  currency   text    not null,
  amount     numeric not null,
  primary key (account_id, book, currency)
);

create table ledger_balance_changes (
  account_id text    not null,
  book       text    not null,
  currency   text    not null,
  amount     numeric not null
);

create function record_balance_changes() returns trigger language plpgsql as $$
begin
  insert into ledger_balance_changes (account_id, book, currency, amount)
  select account_id, book, currency, sum(amount) from posted_lines group by account_id, book, currency;
  return null;
end
$$;
create trigger ledger_lines_summed after insert on ledger_lines
  referencing new table as posted_lines for each statement execute function record_balance_changes();
