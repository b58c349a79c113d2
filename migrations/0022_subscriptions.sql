-- Plans: what subscriptions are charged and how often. Subscriptions: customers who are charged by a plan, with a copy of its terms.
create table plans (
  id                  uuid not null,
  account_id          text not null references accounts (id),
  external_id         text check (length(external_id) between 1 and 255),
  name                text not null,
  amount_cents        bigint not null check (amount_cents > 0),
  currency            text not null check (currency in ('BRL', 'USD', 'EUR')),
  interval            text not null check (interval in ('weekly', 'biweekly', 'monthly', 'quarterly', 'semiannual', 'yearly')),
  -- Of the week, from Monday, or of the month; when null, each subscription has the day of its first cycle.
  day                 integer check (day between 1 and 31),
  trial_days          integer not null,
  cycles              integer check (cycles > 0),
  methods             text[] not null,
  days_ahead          integer not null,
  past_due_after_days integer not null,
  unpaid_action       text not null check (unpaid_action in ('keep', 'pause', 'cancel')),
  unpaid_after_days   integer not null check (unpaid_after_days >= past_due_after_days),
  description         text not null,
  fine_percent        numeric,
  interest_percent    numeric,
  metadata            jsonb,
  is_archived         boolean not null default false,
  content_hash        text not null,
  event_count         integer not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  primary key (id, account_id)
);
create unique index plans_external_id on plans (external_id, account_id) where external_id is not null;
create index plans_newest on plans (created_at desc, id desc);
create index plans_by_account on plans (account_id, created_at desc, id desc);

create table subscriptions (
  id                  uuid not null,
  account_id          text not null references accounts (id),
  external_id         text check (length(external_id) between 1 and 255),
  plan_id             uuid not null,
  customer_id         uuid not null,
  status              text not null check (status in ('trialing', 'active', 'past_due', 'paused', 'canceled', 'completed')),
  amount_cents        bigint not null check (amount_cents > 0),
  currency            text not null check (currency in ('BRL', 'USD', 'EUR')),
  interval            text not null check (interval in ('weekly', 'biweekly', 'monthly', 'quarterly', 'semiannual', 'yearly')),
  day                 integer not null check (day between 1 and 31),
  cycles              integer check (cycles > 0),
  methods             text[] not null,
  days_ahead          integer not null,
  past_due_after_days integer not null,
  unpaid_action       text not null check (unpaid_action in ('keep', 'pause', 'cancel')),
  unpaid_after_days   integer not null check (unpaid_after_days >= past_due_after_days),
  description         text not null,
  fine_percent        numeric,
  interest_percent    numeric,
  metadata            jsonb,
  trial_end_day       date,
  -- The day on which it is canceled: the first that is not paid for.
  cancel_on           date,
  cancel_reason       text check (cancel_reason in ('requested', 'by_payer', 'unpaid', 'customer_erased')),
  -- A link to the payer's page of an earlier epoch is withdrawn.
  link_epoch          smallint not null default 0 check (link_epoch between 0 and 255),
  -- When time next changes it; null once it has ended, and while it is paused.
  next_at             timestamptz,
  content_hash        text not null,
  event_count         integer not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  paused_at           timestamptz,
  resumed_at          timestamptz,
  ended_at            timestamptz,
  primary key (id, account_id),
  foreign key (plan_id, account_id) references plans (id, account_id),
  foreign key (customer_id, account_id) references customers (id, account_id)
);
create unique index subscriptions_external_id on subscriptions (external_id, account_id) where external_id is not null;
create index subscriptions_due on subscriptions (next_at, id) where next_at is not null;
create index subscriptions_newest on subscriptions (created_at desc, id desc);
create index subscriptions_by_account on subscriptions (account_id, created_at desc, id desc);
create index subscriptions_of_customer on subscriptions (customer_id, created_at desc, id desc);
create index subscriptions_of_plan on subscriptions (plan_id, created_at desc, id desc);
create index subscriptions_by_status on subscriptions (status, created_at desc, id desc);
create index subscriptions_by_account_status on subscriptions (account_id, status, created_at desc, id desc);

-- The cycles of a subscription, each once: the first insert of a number is the only one. The one that is charged next is waiting.
create table subscription_cycles (
  subscription_id uuid not null,
  account_id      text not null,
  number          integer not null check (number > 0),
  -- What the calendar gives it; due_day is that of its charge.
  day             date not null,
  status          text not null check (status in ('waiting', 'open', 'past_due', 'paid', 'refunded', 'canceled')),
  amount_cents    bigint,
  currency        text,
  due_day         date,
  charge_id       uuid,
  attempts        integer not null default 0,
  reason          text,
  retry_at        timestamptz,
  paid_at         timestamptz,
  primary key (subscription_id, account_id, number),
  foreign key (subscription_id, account_id) references subscriptions (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id)
);
-- What a step reads of a subscription, however many cycles it has had.
create index subscription_cycles_pending on subscription_cycles (subscription_id, status, number)
  where status in ('waiting', 'open', 'past_due');
create unique index subscription_cycles_charge on subscription_cycles (charge_id) where charge_id is not null;
-- Cycles that cannot be charged: for the operator, and as what a step reads too.
create index subscription_cycles_refused on subscription_cycles (subscription_id, number)
  where status in ('waiting', 'past_due') and charge_id is null and attempts > 0;

-- The cycle that a charge is of. More than one charge of a cycle exists only when those before it failed or were withdrawn.
alter table charges add column subscription_id uuid;
alter table charges add column cycle_number integer;
alter table charges add constraint charges_subscription
  foreign key (subscription_id, account_id) references subscriptions (id, account_id);
