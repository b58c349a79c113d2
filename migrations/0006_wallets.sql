-- Addresses that crypto is paid to. A removed wallet keeps its row, because orders refer to it; the same address may be added
-- again as a new wallet.
create table wallets (
  id         uuid not null,
  account_id text not null references accounts (id),
  name       text not null check (length(name) between 1 and 255),
  network    text not null check (network in ('ethereum', 'polygon', 'base', 'arbitrum', 'bsc', 'tron')),
  -- In one canonical spelling, so that the same address is the same text.
  address    text not null,
  -- Whole milliseconds, as the API shows them.
  created_at timestamptz not null check (created_at = date_trunc('milliseconds', created_at)),
  -- Orders may use it from here on: the delay leaves time to notice a wallet that should not be there.
  usable_at  timestamptz not null check (usable_at >= created_at),
  removed_at timestamptz,
  primary key (id, account_id)
);
create unique index wallets_once on wallets (account_id, network, address) where removed_at is null;
create index wallets_newest on wallets (created_at desc, id desc) where removed_at is null;
create index wallets_by_account on wallets (account_id, created_at desc, id desc) where removed_at is null;
