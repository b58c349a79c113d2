-- Customers: whom an account charges again and again, with the data that its new charges take.
create table customers (
  id          uuid not null,
  account_id  text not null references accounts (id),
  external_id text check (length(external_id) between 1 and 255),
  name        text not null,
  -- A CPF or CNPJ without punctuation; zeros once the customer was erased.
  document    text not null,
  type        text not null check (type in ('individual', 'company')),
  -- The caller asked for another customer of a document that may have one.
  is_separate boolean not null default false,
  email       text,
  phone       text,
  address     jsonb,
  locale      text check (locale in ('pt-BR', 'en')),
  notes       text,
  metadata    jsonb,
  -- The words that it is found by, without marks and in lower case; none once it was erased.
  search      tsvector not null,
  event_count integer not null default 0,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  erased_at   timestamptz,
  primary key (id, account_id)
);

-- A document is one customer of an account, unless the caller asks for another one: of many requests at once one gets through.
create unique index customers_once on customers (account_id, document) where not is_separate and erased_at is null;
create unique index customers_external_id on customers (external_id, account_id) where external_id is not null and erased_at is null;
-- All customers of a payer, whatever the account: what is kept of a person, and what is erased.
create index customers_of_document on customers (document) where erased_at is null;
create index customers_of_email on customers (lower(email)) where erased_at is null;
create index customers_by_word on customers using gin (search);
create index customers_newest on customers (created_at desc, id desc) where erased_at is null;
create index customers_by_account on customers (account_id, created_at desc, id desc) where erased_at is null;

-- The customer that a charge was made for by its id. A charge that names a payer instead has none: it belongs to the customer of that
-- document, and charges_of_document finds it.
alter table charges add column customer_id uuid;
alter table charges add constraint charges_customer foreign key (customer_id, account_id) references customers (id, account_id);
create index charges_of_customer on charges (customer_id, created_at desc, id desc) where customer_id is not null;
