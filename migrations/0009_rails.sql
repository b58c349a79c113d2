-- Rails, what banks reported, and money that fits no charge.

-- Every rail that this service has had. One that charges are still on must stay configured.
create table rails (
  name            text not null,
  method          text not null check (method in ('boleto', 'pix')),
  -- The last part of the address to which its bank sends notifications: nobody can guess it.
  path_token      text not null,
  -- Every payment up to here was asked for; null: the bank is not asked by time.
  seen_until      timestamptz,
  -- A node that asks moves this moment forward, so that no other asks, too.
  next_look_at    timestamptz,
  -- Since when the bank has not answered.
  silent_since    timestamptz,
  -- The last day on which the bank's payments were compared with those here. The day of the first start counts as compared, because the
  -- bank may have had payments before it.
  compared_day    date,
  next_compare_at timestamptz,
  compared_at     timestamptz,
  -- How many differences there were on that day.
  differences     integer check (differences >= 0),
  -- When locations are taken next.
  next_fill_at    timestamptz,
  primary key (name, method)
);

-- What banks sent of their own accord, as it came. Only the ids of payments are taken from it; the bank is asked for the rest.
create table notifications (
  id          uuid primary key,
  rail        text not null,
  body        text not null,
  received_at timestamptz not null,
  handled_at  timestamptz
);
create index notifications_handled on notifications (handled_at);

-- Locations that were taken at a PSP before the charge that they are for, so that a code is there while the PSP is not. A row is
-- free until a charge has it, and then stays that charge's: the address stands in the code that was handed out.
create table rail_locations (
  rail       text not null,
  kind       text not null,
  -- The PSP's number of it. One that starts anew counts from one again, so it identifies nothing here.
  id         text not null,
  url        text not null,
  created_at timestamptz not null,
  charge_id  uuid,
  account_id text,
  primary key (rail, url),
  foreign key (charge_id, account_id) references charges (id, account_id),
  check ((charge_id is null) = (account_id is null))
);
create index rail_locations_free on rail_locations (rail, kind, created_at, url) where charge_id is null;

-- Bank statements that were imported, by whom and with what result. The file itself is not kept.
create table statement_imports (
  id          uuid primary key,
  imported_at timestamptz not null,
  -- The actor, as in the audit log.
  imported_by text not null,
  format      text not null check (format in ('ofx', 'csv')),
  -- SHA-256 of the file: the same file again is seen to be the same.
  digest      bytea not null check (length(digest) = 32),
  -- How many of its entries ended in which way.
  counts      jsonb not null,
  -- Lines that could not be read.
  faults      integer not null check (faults >= 0)
);
create index statement_imports_newest on statement_imports (imported_at desc, id desc);

-- Money that a bank or a statement shows and that matches no charge. It is kept and listed for a person to decide.
create table unmatched_receipts (
  -- In the spelling of payments.reference.
  reference      text primary key,
  posted_at      timestamptz not null,
  amount_cents   bigint not null check (amount_cents >= 1),
  txid           text,
  -- The description that the statement gives.
  words          text not null,
  recorded_at    timestamptz not null,
  -- Why it waits for a person.
  reason         text not null default 'no_match' check (reason in ('no_match', 'possible_duplicate', 'returned')),
  -- The reference of the payment or of the other receipt that it resembles.
  duplicate_of   text,
  -- When it was recorded as a payment or dismissed. It stays, so that the same statement does not bring it back.
  decided_at     timestamptz,
  -- What the bank has sent back of it: no charge can be paid with that.
  returned_cents bigint not null default 0 check (returned_cents >= 0),
  check ((reason = 'possible_duplicate') = (duplicate_of is not null))
);
create index unmatched_receipts_newest on unmatched_receipts (posted_at desc, reference desc);
create index unmatched_receipts_of_amount on unmatched_receipts (amount_cents, posted_at);
create index unmatched_receipts_reference on unmatched_receipts (lower(reference collate "C"));
-- Receipts that wait for a person are few; those that were decided stay for ever. The list and its count read the former alone.
create index unmatched_receipts_open on unmatched_receipts (posted_at desc, reference desc) where decided_at is null;

-- Payments that a bank lists and that cannot be read, or a return of one. Each waits for a person, or until the bank shows it so that it
-- can be read.
create table unreadable_receipts (
  reference     text        not null,
  about         text        not null check (about in ('payment', 'return')),
  rail          text        not null,
  -- What cannot be read.
  words         text        not null,
  amount_cents  bigint,
  seen_at       timestamptz not null,
  -- When the bank is asked about it again.
  look_again_at timestamptz not null,
  -- It could be read, or a person has recorded the payment.
  read_at       timestamptz,
  dismissed_at  timestamptz,
  primary key (reference, about)
);
create index unreadable_receipts_open on unreadable_receipts (seen_at desc, reference desc)
  where read_at is null and dismissed_at is null;
create index unreadable_receipts_reference on unreadable_receipts (lower(reference collate "C"));
