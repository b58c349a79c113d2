-- Instalments (carnê): one sum that is asked for in several charges of one payer, one a month.
create table instalment_plans (
  id               uuid not null,
  account_id       text not null references accounts (id),
  external_id      text check (length(external_id) between 1 and 255),
  description      text,
  metadata         jsonb,
  -- The whole sum; its charges add up to it.
  amount_cents     bigint not null check (amount_cents >= 1),
  currency         text not null check (currency in ('BRL', 'USD', 'EUR')),
  instalment_count integer not null check (instalment_count between 2 and 60),
  -- The customer on record that it was made for by its id.
  customer_id      uuid,
  state            text not null check (state in ('OPEN', 'COMPLETED', 'CANCELED')),
  -- A link to its page of an earlier epoch is withdrawn.
  link_epoch       smallint not null default 0 check (link_epoch between 0 and 255),
  -- A repeated request must have the same content.
  content_hash     bytea not null,
  event_count      integer not null default 0,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  primary key (id, account_id),
  constraint instalment_plans_customer foreign key (customer_id, account_id) references customers (id, account_id)
);

create unique index instalment_plans_external_id on instalment_plans (external_id, account_id) where external_id is not null;
create index instalment_plans_newest on instalment_plans (created_at desc, id desc);
create index instalment_plans_by_account on instalment_plans (account_id, created_at desc, id desc);
create index instalment_plans_by_state on instalment_plans (state, created_at desc, id desc);
create index instalment_plans_by_account_state on instalment_plans (account_id, state, created_at desc, id desc);
create index instalment_plans_of_customer on instalment_plans (customer_id, created_at desc, id desc) where customer_id is not null;

-- The plan that a charge is an instalment of, and which one.
alter table charges add column instalment_plan_id uuid;
alter table charges add column instalment_number integer;
alter table charges add constraint charges_instalment check ((instalment_plan_id is null) = (instalment_number is null));
alter table charges add constraint charges_instalment_plan
  foreign key (instalment_plan_id, account_id) references instalment_plans (id, account_id);
create unique index charges_of_instalment_plan on charges (instalment_plan_id, instalment_number) where instalment_plan_id is not null;
