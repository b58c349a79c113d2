-- Mandates: the standing approval of a payer that their bank pays what an account asks for (Pix Automático).
create table mandates (
  id              uuid not null,
  account_id      text not null references accounts (id),
  customer_id     uuid not null,
  external_id     text check (length(external_id) between 1 and 255),
  rail            text not null,
  -- The way in which the payer is asked, and the one in which they approved.
  journey         smallint not null check (journey between 1 and 4),
  approved_by     smallint check (approved_by between 1 and 4),
  -- The payer sees both.
  contract        text not null check (length(contract) between 1 and 35),
  description     text check (length(description) between 1 and 35),
  period          text not null check (period in ('WEEKLY', 'MONTHLY', 'QUARTERLY', 'SEMIANNUAL', 'YEARLY')),
  first_day       date not null,
  last_day        date check (last_day >= first_day),
  amount_cents    bigint check (amount_cents >= 1),
  minimum_cents   bigint check (minimum_cents >= 1),
  allows_retries  boolean not null,
  -- The charge that is paid with the code of journeys 3 and 4.
  charge_id       uuid,
  status          text not null
                  check (status in ('CREATING', 'CREATED', 'APPROVED', 'REJECTED', 'EXPIRED', 'CANCELED', 'FAILED')),
  -- In the words of the PSP, which may be new ones.
  psp_status      text,
  recurrence_id   text,
  emv             text,
  ending          jsonb,
  reason          text,
  location_id     text,
  -- The account of the payer at their bank; removed once the payer was asked there.
  payer_account   jsonb,
  asks_until      timestamptz,
  request_id      text,
  asked_at        timestamptz,
  -- When it was first and last sent: without an answer the PSP is asked before it is sent again.
  first_sent_at   timestamptz,
  sent_at         timestamptz,
  cancel_asked_at timestamptz,
  next_look_at    timestamptz,
  -- A repeated request must have the same content.
  content_hash    bytea not null,
  event_count     integer not null default 0,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (id, account_id),
  check (amount_cents is null or minimum_cents is null),
  constraint mandates_customer foreign key (customer_id, account_id) references customers (id, account_id),
  constraint mandates_charge foreign key (charge_id, account_id) references charges (id, account_id)
);

create unique index mandates_external_id on mandates (external_id, account_id) where external_id is not null;
-- One recurrence is one mandate, also when two were made by an answer that was lost.
create unique index mandates_of_recurrence on mandates (rail, recurrence_id) where recurrence_id is not null;
create index mandates_newest on mandates (created_at desc, id desc);
create index mandates_by_account on mandates (account_id, created_at desc, id desc);
create index mandates_by_status on mandates (status, created_at desc, id desc);
create index mandates_by_account_status on mandates (account_id, status, created_at desc, id desc);
create index mandates_of_customer on mandates (customer_id, created_at desc, id desc);
create index mandates_to_look_at on mandates (next_look_at) where next_look_at is not null;

-- Collections: charges that the payer's bank pays by a mandate. The id without dashes is their txid.
create table mandate_collections (
  id              uuid not null,
  account_id      text not null references accounts (id),
  mandate_id      uuid not null,
  charge_id       uuid not null,
  amount_cents    bigint not null check (amount_cents >= 1),
  due_day         date not null,
  status          text not null
                  check (status in ('WAITING', 'CREATED', 'ACTIVE', 'COMPLETED', 'EXPIRED', 'REJECTED', 'CANCELED', 'FAILED')),
  psp_status      text,
  attempts        jsonb not null default '[]',
  ending          jsonb,
  reason          text,
  sent_at         timestamptz,
  cancel_asked_at timestamptz,
  next_look_at    timestamptz,
  event_count     integer not null default 0,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (id, account_id),
  constraint mandate_collections_mandate foreign key (mandate_id, account_id) references mandates (id, account_id),
  constraint mandate_collections_charge foreign key (charge_id, account_id) references charges (id, account_id)
);

-- A charge is collected once, or by another collection after one that brought nothing.
create unique index mandate_collections_open on mandate_collections (charge_id)
  where status in ('WAITING', 'CREATED', 'ACTIVE', 'COMPLETED');
create index mandate_collections_of_mandate on mandate_collections (mandate_id, created_at, id);
create index mandate_collections_to_look_at on mandate_collections (next_look_at) where next_look_at is not null;

-- References by which a charge may be paid beside those of its methods.
create table charge_references (
  reference  text not null,
  rail       text not null,
  method     text not null,
  charge_id  uuid not null,
  account_id text not null,
  primary key (reference, rail),
  constraint charge_references_charge foreign key (charge_id, account_id) references charges (id, account_id)
);
