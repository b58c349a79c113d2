-- Subscriptions that buy crypto: the charge of each cycle, once it is paid, becomes an order to a wallet of the account.
alter table plans add column symbol text;
alter table plans add column network text;
alter table plans add column settlement_schedule text check (settlement_schedule in ('D0', 'D1', 'D2'));
alter table plans add constraint plans_asset foreign key (symbol, network) references network_assets (symbol, network);
alter table plans add constraint plans_crypto check (
  (symbol is null) = (network is null) and (symbol is null) = (settlement_schedule is null) and (symbol is null or currency = 'BRL'));

alter table subscriptions add column symbol text;
alter table subscriptions add column network text;
alter table subscriptions add column settlement_schedule text check (settlement_schedule in ('D0', 'D1', 'D2'));
alter table subscriptions add column wallet_id uuid;
-- Who named the wallet, as the audit log writes actors: they do not approve the orders to it.
alter table subscriptions add column wallet_by text;
alter table subscriptions add constraint subscriptions_asset
  foreign key (symbol, network) references network_assets (symbol, network);
alter table subscriptions add constraint subscriptions_wallet
  foreign key (wallet_id, account_id) references wallets (id, account_id);
alter table subscriptions add constraint subscriptions_crypto check (
  (symbol is null) = (network is null) and (symbol is null) = (settlement_schedule is null)
  and (symbol is null) = (wallet_id is null) and (symbol is null or currency = 'BRL'));

-- The order that its money pays for, or why none could be made yet.
alter table subscription_cycles add column order_id uuid;
alter table subscription_cycles add column order_reason text;
alter table subscription_cycles add constraint subscription_cycles_order
  foreign key (order_id, account_id) references orders (id, account_id);
create unique index subscription_cycles_ordered on subscription_cycles (order_id) where order_id is not null;
create index subscription_cycles_unordered on subscription_cycles (account_id, day) where order_reason is not null;

-- Once such a charge is paid, an order is made of its money; so all of it has to come by this charge.
alter table charges add column is_for_crypto boolean not null default false;
