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
