-- Rows that nothing needs any more are removed in the background: docs/operations.md, «How long rows are kept».

-- The node that removes rows now, and until when (by the database's clock) no other node does.
create table pruning (
  only_one    boolean primary key default true check (only_one),
  holder      uuid,
  held_until  timestamptz,
  -- Quotes up to this one were looked at. Those that an order has used stay, and are not looked at again.
  quotes_done uuid not null default '00000000-0000-0000-0000-000000000000',
  check ((holder is null) = (held_until is null))
);
insert into pruning default values;

create index idempotency_keys_by_time on idempotency_keys (created_at);
-- For the foreign key: without it, each quote that is removed would read all orders.
create index orders_by_quote on orders (quote_id) where quote_id is not null;
