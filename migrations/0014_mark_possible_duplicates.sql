-- Why a receipt waits for a person, which known money it may be, and when the person decided.
alter table unmatched_receipts
  add column reason       text not null default 'no_match'
                          check (reason in ('no_match', 'possible_duplicate', 'returned')),
  -- The reference of the payment or of the other receipt that it resembles.
  add column duplicate_of text,
  -- When it was recorded as a payment or dismissed. It stays, so that the same statement does not bring it back.
  add column decided_at   timestamptz,
  add check ((reason = 'possible_duplicate') = (duplicate_of is not null));
create index unmatched_receipts_of_amount on unmatched_receipts (amount_cents, posted_at);

-- The CPF or CNPJ of the payer, as far as the statement shows it; hidden digits are *. It tells two equal payments apart.
alter table payments add column payer_document text;
create index pix_payments_of_amount on payments (amount_cents, paid_at) where method = 'pix';
