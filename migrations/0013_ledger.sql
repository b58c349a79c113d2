-- The ledger: every movement of money or crypto as an entry whose lines sum to zero in each currency. Written once, in the
-- transaction of what it tells of, and never changed: what was wrong is set right by a further entry.
create table ledger_entries (
  id             uuid not null,
  account_id     text not null,
  kind           text not null check (kind in (
    'payment', 'settlement', 'refund', 'commitment', 'release', 'payout', 'payout_undone'
  )),
  -- What moved: the payment, the charge whose boleto was credited, the refund, the commitment, the payout.
  cause_id       uuid not null,
  charge_id      uuid,
  transaction_id uuid,
  at             timestamptz not null,
  primary key (id, account_id),
  -- The same cause posts once.
  unique (cause_id, account_id, kind)
);
create index ledger_entries_newest on ledger_entries (at desc, id desc);
create index ledger_entries_by_account on ledger_entries (account_id, at desc, id desc);
create index ledger_entries_by_charge on ledger_entries (charge_id, at desc, id desc) where charge_id is not null;
create index ledger_entries_by_transaction on ledger_entries (transaction_id, at desc, id desc)
  where transaction_id is not null;

-- A book is named at most once per currency in an entry. Amounts are whole: cents, or the smallest units of an asset on its
-- network (`usdt.polygon`), since decimals differ between networks.
create table ledger_lines (
  entry_id   uuid not null,
  account_id text not null,
  book       text not null check (book in (
    'payer', 'receivable', 'settled', 'refund', 'exchange', 'fee', 'crypto_owed', 'crypto_paid'
  )),
  currency   text not null check (currency ~ '^(BRL|[a-z0-9]+\.[a-z0-9]+)$'),
  amount     numeric not null check (amount <> 0 and scale(amount) = 0),
  primary key (entry_id, account_id, book, currency),
  foreign key (entry_id, account_id) references ledger_entries (id, account_id)
);
create index ledger_lines_balances on ledger_lines (account_id, book, currency) include (amount);

create function refuse_unbalanced_lines() returns trigger language plpgsql as $$
begin
  if exists (select from posted group by entry_id, account_id, currency having sum(amount) <> 0) then
    raise exception 'the lines of an entry do not sum to zero' using errcode = 'check_violation';
  end if;
  return null;
end
$$;
create trigger ledger_lines_balanced after insert on ledger_lines
  referencing new table as posted for each statement execute function refuse_unbalanced_lines();

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is only added to' using errcode = 'restrict_violation';
end
$$;
create trigger ledger_entries_kept before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_lines_kept before update or delete or truncate on ledger_lines
  for each statement execute function refuse_change();

-- What happened before there was a ledger. An entry of these takes the id of its cause.
insert into ledger_entries (id, account_id, kind, cause_id, charge_id, at)
  select id, account_id, 'payment', id, charge_id, paid_at from payments
  union all
  select m.charge_id, m.account_id, 'settlement', m.charge_id, m.charge_id, m.updated_at
    from charge_methods m
   where m.method = 'boleto' and m.status = 'SETTLED'
  union all
  select id, account_id, 'refund', id, charge_id, updated_at from refunds where status = 'DONE';

-- A paid boleto is owed by the bank until it is credited; whatever else came is at hand.
insert into ledger_lines (entry_id, account_id, book, currency, amount)
  select id, account_id, 'payer', 'BRL', -amount_cents from payments
  union all
  select id, account_id, case when method = 'boleto' and not is_repeat then 'receivable' else 'settled' end, 'BRL',
         amount_cents
    from payments
  union all
  select p.charge_id, p.account_id, side.book, 'BRL', side.sign * p.amount_cents
    from payments p
    join charge_methods m
      on m.charge_id = p.charge_id and m.account_id = p.account_id and m.method = 'boleto' and m.status = 'SETTLED'
   cross join (values ('settled', 1), ('receivable', -1)) as side (book, sign)
   where p.method = 'boleto' and not p.is_repeat
  union all
  select r.id, r.account_id, side.book, 'BRL', side.sign * r.amount_cents
    from refunds r
   cross join (values ('refund', 1), ('settled', -1)) as side (book, sign)
   where r.status = 'DONE';
