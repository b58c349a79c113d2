-- Accounts, how they show themselves to payers, their API keys, and the idempotency keys of their requests.

-- The owner of charges and orders. The caller chooses the id.
create table accounts (
  id         text primary key check (length(id) between 1 and 255),
  created_at timestamptz not null
);

-- How an account shows itself to payers. An account without a row has the defaults.
create table account_settings (
  account_id       text primary key references accounts (id),
  display_name     text check (length(display_name) between 1 and 100),
  -- CPF or CNPJ, without punctuation.
  document         text check (length(document) in (11, 14)),
  colour           text check (colour ~ '^#[0-9a-f]{6}$'),
  return_url       text check (length(return_url) <= 2000),
  support_url      text check (length(support_url) <= 2000),
  frame_origins    text[] not null default '{}' check (cardinality(frame_origins) <= 20),
  -- A small PNG, JPEG or WebP, checked before it is stored.
  logo             bytea check (octet_length(logo) <= 32768),
  logo_type        text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  updated_at       timestamptz not null,
  -- Whether the checkout of a charge that was paid in part offers to pay the rest.
  offers_remainder boolean not null default false,
  check ((logo is null) = (logo_type is null))
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
  last_used_at timestamptz,
  -- From this moment on it is refused like a revoked one.
  expires_at   timestamptz check (expires_at > created_at),
  -- Its account alone, or all accounts where its scopes of the operator go further.
  reach        text not null default 'account' check (reach in ('account', 'all_accounts')),
  -- The actor, as in the audit log. Two keys of one maker are one pair of eyes, and a key ends with the key that made it. Null in keys
  -- from before 1.0.0 of which the audit log has no line: they count as made at the command line.
  created_by   text
);
create index api_keys_by_account on api_keys (account_id, created_at, id);
create index api_keys_by_maker on api_keys (created_by) where created_by like 'key:%';

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
create index idempotency_keys_by_time on idempotency_keys (created_at);
