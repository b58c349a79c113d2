-- Orders of crypto. The list reads this table alone: a wallet's name and address are kept as they were when it was asked.
create table crypto_transactions (
  id                  uuid not null,
  account_id          text not null references accounts (id),
  status              text not null check (status in (
    'pending_payment', 'pending_fulfillment', 'fulfillment_scheduled', 'fulfilling', 'fulfilled'
  )),
  symbol              text not null,
  network             text not null,
  quantity            numeric not null check (quantity > 0 and quantity < 'Infinity'),
  currency            text not null check (currency in ('BRL', 'USD', 'EUR')),
  cost                numeric not null check (cost > 0 and cost < 'Infinity'),
  price               numeric not null check (price > 0 and price < 'Infinity'),
  wallet_id           text not null,
  wallet_address      text not null,
  wallet_name         text not null,
  settlement_schedule text not null check (settlement_schedule in ('D0', 'D1', 'D2')),
  settlement_date     timestamptz not null,
  -- Whole milliseconds, as the wire shows them: a time read there bounds exactly what was seen.
  created_at          timestamptz not null check (created_at = date_trunc('milliseconds', created_at)),
  updated_at          timestamptz not null,
  primary key (id, account_id),
  check ((symbol, network) in (
    ('usdt', 'ethereum'), ('usdt', 'polygon'), ('usdt', 'arbitrum'), ('usdt', 'bsc'), ('usdt', 'tron'),
    ('usdc', 'ethereum'), ('usdc', 'polygon'), ('usdc', 'base'), ('usdc', 'arbitrum'), ('usdc', 'bsc'),
    ('eth', 'ethereum'), ('eth', 'base'), ('eth', 'arbitrum'),
    ('trx', 'tron')
  ))
);

create index crypto_transactions_newest on crypto_transactions (created_at desc, id desc);
create index crypto_transactions_by_symbol on crypto_transactions (symbol, created_at desc, id desc);
create index crypto_transactions_by_status on crypto_transactions (status, created_at desc, id desc);
