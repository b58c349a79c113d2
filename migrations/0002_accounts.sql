-- Accounts, their API keys, and the idempotency keys of their requests.

-- The owner of charges and orders. The caller chooses the id.
create table accounts (
  id         text primary key check (length(id) between 1 and 255),
  created_at timestamptz not null
);

-- Only the SHA-256 of a key is stored. A key holds 256 random bits, so a slow password hash would add nothing.
create table api_keys (
  id           text primary key check (id ~ '^[0-9A-Za-z]{12}$'),
  account_id   text not null references accounts (id),
  name         text check (length(name) between 1 and 255),
  scopes       text[] not null check (cardinality(scopes) >= 1),
  secret_hash  bytea not null check (length(secret_hash) = 32),
  created_at   timestamptz not null,
  revoked_at   timestamptz,
  -- Written at most once a minute.
  last_used_at timestamptz
);
create index api_keys_by_account on api_keys (account_id, created_at, id);

-- An Idempotency-Key and the object (a charge or an order) that was created under it. `scope` says whose key it is: in live the
-- account's; in a sandbox all callers share one scope.
-- No foreign keys: the object is in one of two tables, and its own row already refers to the account.
create table idempotency_keys (
  scope        text not null,
  key          text not null check (length(key) between 1 and 255),
  -- A repeat must have the same content.
  content_hash bytea not null,
  object_id    uuid not null,
  account_id   text not null,
  created_at   timestamptz not null,
  primary key (scope, key)
);
