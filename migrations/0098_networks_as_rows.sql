-- Networks and the assets on them are rows, so that another one needs no migration: a start adds those that its version knows and the
-- database does not. What was checked against a list is checked against these rows.
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

alter table wallets
  drop constraint wallets_network_check,
  add constraint wallets_network foreign key (network) references networks (network);
alter table quotes
  drop constraint quotes_check2,
  add constraint quotes_asset foreign key (symbol, network) references network_assets (symbol, network);
alter table orders
  drop constraint orders_check,
  add constraint orders_asset foreign key (symbol, network) references network_assets (symbol, network);
alter table sandbox_chains
  drop constraint sandbox_chains_network_check,
  add constraint sandbox_chains_network foreign key (network) references networks (network);
