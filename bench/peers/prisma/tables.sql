-- The tables that `prisma db push` creates from schema.prisma, written out because its schema engine is a separate download.
create table orders (
  id                  uuid primary key,
  account_id          text not null,
  status              text not null,
  quantity            decimal(38, 18) not null,
  cost                decimal(38, 2) not null,
  price               decimal(38, 18) not null,
  network             text not null,
  symbol              text not null,
  currency            text not null,
  wallet_id           text not null,
  wallet_address      text not null,
  wallet_name         text not null,
  settlement_schedule text not null,
  settlement_date     timestamptz(3) not null,
  created_at          timestamptz(3) not null,
  updated_at          timestamptz(3) not null
);
create index on orders (created_at desc, id desc);
create index on orders (symbol, created_at desc, id desc);
create index on orders (status, created_at desc, id desc);
create index on orders (account_id, created_at desc, id desc);
create index on orders (account_id, symbol, created_at desc, id desc);
create index on orders (account_id, status, created_at desc, id desc);

create table charges (
  id           uuid primary key,
  account_id   text not null,
  external_id  text,
  source_key   text,
  amount_cents bigint not null,
  currency     text not null,
  customer     jsonb not null,
  taxes        jsonb,
  due_at       timestamptz(3) not null,
  expire_at    timestamptz(3),
  created_at   timestamptz(3) not null default current_timestamp,
  unique (account_id, external_id)
);
create index on charges (created_at desc, id desc);

create table charge_methods (
  id        uuid primary key,
  charge_id uuid not null references charges (id) on update cascade on delete restrict,
  method    text not null,
  status    text not null,
  emv       text,
  unique (charge_id, method)
);
