-- Disputes: returns of a payment that the payer's bank asked for, as in Brazil by the MED, with what is blocked, how each ended, and evidence.
create table disputes (
  id                 uuid not null,
  account_id         text not null references accounts (id),
  charge_id          uuid not null,
  payment_id         uuid not null,
  -- The return, whose money it is about. One return is one dispute, however often a bank reports it.
  refund_id          uuid not null,
  rail               text not null,
  -- The bank's ids of the payment and of the return.
  payment_reference  text not null,
  return_reference   text not null,
  cause              text not null check (cause in ('fraud', 'operational_failure', 'automatic_pix', 'other')),
  -- The cause in the code of the bank, which may be a new one.
  bank_code          text not null,
  amount_cents       bigint not null check (amount_cents >= 1),
  status             text not null check (status in ('open', 'won', 'lost', 'accepted')),
  -- Banks do not report until when they block the money: an estimate, or what a person knows.
  blocked_until      timestamptz,
  is_until_estimated boolean not null default false check (blocked_until is not null or not is_until_estimated),
  note               text check (length(note) between 1 and 2000),
  closed_at          timestamptz,
  -- Who recorded the end; null when the bank reported it.
  closed_by          text,
  reason             text check (length(reason) between 1 and 2000),
  -- When the bank reported the end that is recorded.
  confirmed_at       timestamptz,
  event_count        integer not null default 0,
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  primary key (id, account_id),
  check ((status = 'open') = (closed_at is null)),
  check (closed_by is not null or confirmed_at is not null or status = 'open'),
  foreign key (charge_id, account_id) references charges (id, account_id),
  foreign key (payment_id, account_id) references payments (id, account_id),
  constraint disputes_once unique (refund_id, account_id),
  foreign key (refund_id, account_id) references refunds (id, account_id)
);
create index disputes_newest on disputes (created_at desc, id desc);
create index disputes_by_account on disputes (account_id, created_at desc, id desc);
create index disputes_of_charge on disputes (charge_id, created_at desc, id desc);
create index disputes_open on disputes (created_at desc, id desc) where status = 'open';

-- Blocked money has a book of its own.
alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check check (kind in (
  'payment', 'settlement', 'refund', 'commitment', 'release', 'payout', 'payout_undone', 'network_fee', 'network_fee_corrected',
  'cold_sweep', 'cold_sweep_undone', 'mismatch_settled', 'bank_fee', 'top_up', 'top_up_undone', 'dispute_opened', 'dispute_ended',
  'refund_undone'
)) not valid;
alter table ledger_lines drop constraint ledger_lines_book_check;
alter table ledger_lines add constraint ledger_lines_book_check check (book in (
  'payer', 'receivable', 'settled', 'refund', 'exchange', 'fee', 'crypto_owed', 'crypto_paid', 'network_fee', 'cold_wallet', 'bank_fee',
  'own_senders', 'blocked'
)) not valid;

-- Evidence that is kept with a dispute: texts and small files. It may name a payer, so it is erased with them.
create table dispute_evidence (
  id         uuid not null,
  account_id text not null,
  dispute_id uuid not null,
  name       text check (length(name) between 1 and 120),
  media_type text not null,
  size       integer not null check (size >= 1),
  -- Null once it was erased.
  content    bytea,
  sha256     bytea,
  added_by   text not null,
  created_at timestamptz not null,
  erased_at  timestamptz,
  primary key (id, account_id),
  check ((content is null) = (erased_at is not null)),
  foreign key (dispute_id, account_id) references disputes (id, account_id)
);
-- The same content, sent again, is kept once.
create unique index dispute_evidence_once on dispute_evidence (dispute_id, account_id, sha256) where sha256 is not null;

-- For the search box.
create index disputes_by_return on disputes (return_reference);
