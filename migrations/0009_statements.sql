-- What a pix in a statement is recognised by.
create index charge_methods_txid on charge_methods ((instrument ->> 'txid')) where method = 'pix';

-- Money in a statement that no charge asked for: kept, listed, never guessed at.
create table unmatched_receipts (
  reference    text primary key,
  posted_at    timestamptz not null,
  amount_cents bigint not null check (amount_cents >= 1),
  txid         text,
  words        text not null,
  recorded_at  timestamptz not null
);
create index unmatched_receipts_newest on unmatched_receipts (posted_at desc, reference desc);
