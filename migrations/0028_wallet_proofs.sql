-- Who stands behind a wallet: who made it, who approved it, whether an operator blocks it, and how it is known to belong to its
-- holder. Actors are written as in the audit log: `key:<id>`, `operator` or `sandbox`.
alter table wallets
  -- Null in wallets from before this migration.
  add column created_by  text,
  add column approved_at timestamptz,
  add column approved_by text,
  add column blocked_at  timestamptz,
  add column blocked_by  text,
  -- The newest declaration and the newest proof of ownership.
  add column declared_at timestamptz,
  add column proven_at   timestamptz,
  add check ((approved_at is null) = (approved_by is null)),
  add check ((blocked_at is null) = (blocked_by is null));
-- A block is of the address, whichever account or network names it.
create index wallets_blocked on wallets (address) where blocked_at is not null;

-- The text that the holder of a wallet is asked to sign. A wallet has one at most: a new one replaces it, and a proof uses it up.
create table wallet_challenges (
  wallet_id  uuid not null,
  account_id text not null,
  message    text not null,
  expires_at timestamptz not null,
  primary key (wallet_id, account_id),
  foreign key (wallet_id, account_id) references wallets (id, account_id)
);

-- A text that was signed with the key of the wallet. Anyone can verify it again.
create table wallet_proofs (
  id         uuid primary key,
  wallet_id  uuid not null,
  account_id text not null,
  message    text not null,
  signature  text not null,
  proven_at  timestamptz not null,
  proven_by  text not null,
  unique (wallet_id, account_id, signature),
  foreign key (wallet_id, account_id) references wallets (id, account_id)
);

-- What somebody declared about the holder of a wallet. Personal data: neither shown by the API nor logged.
create table wallet_declarations (
  id              uuid primary key,
  wallet_id       uuid not null,
  account_id      text not null,
  holder_name     text not null check (length(holder_name) between 1 and 255),
  -- CPF or CNPJ, without punctuation.
  holder_document text check (length(holder_document) in (11, 14)),
  statement       text not null check (length(statement) between 1 and 2000),
  declared_at     timestamptz not null,
  declared_by     text not null,
  foreign key (wallet_id, account_id) references wallets (id, account_id)
);
create index wallet_declarations_of on wallet_declarations (wallet_id, account_id, declared_at desc);

-- What screening answered about an address: each different answer once, with the first and the last time that it was given.
create table address_screenings (
  network     text not null,
  address     text not null,
  source      text not null check (source in ('list', 'hook')),
  result      text not null check (result in ('clear', 'hit', 'unknown')),
  -- SHA-256 of the list that decided; empty for the hook.
  list_digest text not null check (length(list_digest) in (0, 64)),
  list_date   date,
  -- What the hook said, for operators.
  words       text check (length(words) <= 500),
  first_at    timestamptz not null,
  last_at     timestamptz not null,
  primary key (network, address, source, result, list_digest)
);
create index address_screenings_hits on address_screenings (last_at desc) where result = 'hit';
