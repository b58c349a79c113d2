-- Networks, and wallets: addresses that crypto is paid to, with who stands behind each.

-- Networks and the assets on them are rows, so that another one needs no migration: a start adds those that its version knows and the
-- database does not.
create table networks (
  network text primary key
);
create table network_assets (
  symbol  text not null,
  network text not null references networks (network),
  primary key (symbol, network)
);
insert into networks (network) values ('ethereum'), ('polygon'), ('base'), ('arbitrum'), ('bsc'), ('tron');
insert into network_assets (symbol, network) values
  ('usdt', 'ethereum'), ('usdt', 'polygon'), ('usdt', 'arbitrum'), ('usdt', 'bsc'), ('usdt', 'tron'),
  ('usdc', 'ethereum'), ('usdc', 'polygon'), ('usdc', 'base'), ('usdc', 'arbitrum'), ('usdc', 'bsc'),
  ('eth', 'ethereum'), ('eth', 'base'), ('eth', 'arbitrum'),
  ('trx', 'tron');

-- A removed wallet keeps its row, because orders refer to it; the same address may be added again as a new wallet. Actors are written
-- as in the audit log.
create table wallets (
  id          uuid not null,
  account_id  text not null references accounts (id),
  name        text not null check (length(name) between 1 and 255),
  network     text not null constraint wallets_network references networks (network),
  -- In one canonical spelling, so that the same address is the same text.
  address     text not null,
  -- Whole milliseconds, as the API shows them.
  created_at  timestamptz not null check (created_at = date_trunc('milliseconds', created_at)),
  -- Orders may use it from here on: the delay leaves time to notice a wallet that should not be there.
  usable_at   timestamptz not null check (usable_at >= created_at),
  removed_at  timestamptz,
  -- Whether a node found code at the address when the wallet was created; null when no node answered.
  is_contract boolean,
  -- Null in wallets from before 1.0.0.
  created_by  text,
  -- When its approvals were complete, and who gave the last one.
  approved_at timestamptz,
  approved_by text,
  blocked_at  timestamptz,
  blocked_by  text,
  -- The newest declaration and the newest proof of ownership.
  declared_at timestamptz,
  proven_at   timestamptz,
  -- All approvals that were given, oldest first: [{ "by": actor, "at": time }]. Groups may ask for several.
  approvals   jsonb,
  primary key (id, account_id),
  check ((approved_at is null) = (approved_by is null)),
  check ((blocked_at is null) = (blocked_by is null))
);
create unique index wallets_once on wallets (account_id, network, address) where removed_at is null;
create index wallets_newest on wallets (created_at desc, id desc) where removed_at is null;
create index wallets_by_account on wallets (account_id, created_at desc, id desc) where removed_at is null;
-- A block applies to the address in every account and on every network.
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
