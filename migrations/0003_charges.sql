-- A charge, what it is asked in and what it is payable in. The account stands in every key, so that the tables can be
-- spread over machines by it; the id leads, so that one index also answers for the id alone.
create table charges (
  id             uuid not null,
  account_id     text not null references accounts (id),
  external_id    text check (length(external_id) between 1 and 255),
  source_key     text check (length(source_key) between 1 and 255),
  amount_cents   bigint not null check (amount_cents >= 1),
  currency       text not null check (currency in ('BRL', 'USD', 'EUR')),
  -- Pix and boleto know only reais: equal to amount_cents, or converted once at the locked rate.
  payable_cents  bigint not null check (payable_cents >= 1),
  rate           numeric check (rate > 0),
  rate_source    text,
  rate_at        timestamptz,
  customer       jsonb not null,
  fine_percent     numeric check (fine_percent >= 0),
  interest_percent numeric check (interest_percent >= 0),
  due_at         timestamptz not null,
  expire_at      timestamptz not null check (expire_at >= due_at),
  -- What a repeat must equal, and what it is answered with, to the letter.
  content_hash   bytea not null,
  answer         json not null,
  created_at     timestamptz not null,
  primary key (id, account_id),
  check ((currency = 'BRL') = (rate is null)),
  check ((rate is null) = (rate_source is null) and (rate is null) = (rate_at is null))
);

create unique index charges_external_id on charges (account_id, external_id) where external_id is not null;

-- One way to pay a charge, with the references its rail was given. They never change.
create table charge_methods (
  charge_id      uuid not null,
  account_id     text not null,
  method         text not null check (method in ('boleto', 'pix')),
  rail           text not null,
  status         text not null check (status in (
    'CREATING', 'ACTIVE', 'REGISTERED', 'PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED',
    'FAILED', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'
  )),
  instrument     jsonb,
  reason         text,
  -- Written before anything is sent: what may have been sent is looked up, never sent blindly again.
  submitted_at   timestamptz,
  updated_at     timestamptz not null,
  primary key (charge_id, account_id, method),
  foreign key (charge_id, account_id) references charges (id, account_id),
  check (status = 'FAILED' or instrument is not null),
  check ((status = 'FAILED') = (reason is not null))
);

-- The caller's word for one attempt. `scope` is the caller: everybody in a sandbox, the account in live.
create table idempotency_keys (
  scope        text not null,
  key          text not null check (length(key) between 1 and 255),
  content_hash bytea not null,
  charge_id    uuid not null,
  account_id   text not null,
  created_at   timestamptz not null,
  primary key (scope, key)
);
