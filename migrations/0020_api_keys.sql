-- Who may call. Of a key only its SHA-256 is kept: it holds 256 bits of chance, so nothing slower is needed.
create table api_keys (
  id           text primary key check (id ~ '^[0-9A-Za-z]{12}$'),
  account_id   text not null references accounts (id),
  name         text check (length(name) between 1 and 255),
  scopes       text[] not null check (cardinality(scopes) >= 1),
  secret_hash  bytea not null check (length(secret_hash) = 32),
  created_at   timestamptz not null,
  revoked_at   timestamptz,
  -- To the minute.
  last_used_at timestamptz
);
create index api_keys_by_account on api_keys (account_id, created_at, id);

-- The list as one account sees it.
create index crypto_transactions_by_account on crypto_transactions (account_id, created_at desc, id desc);
