-- How an account shows itself to payers. An account without a row has the defaults.
create table account_settings (
  account_id    text primary key references accounts (id),
  display_name  text check (length(display_name) between 1 and 100),
  -- CPF or CNPJ, without punctuation.
  document      text check (length(document) in (11, 14)),
  colour        text check (colour ~ '^#[0-9a-f]{6}$'),
  return_url    text check (length(return_url) <= 2000),
  support_url   text check (length(support_url) <= 2000),
  frame_origins text[] not null default '{}' check (cardinality(frame_origins) <= 20),
  -- A small PNG, JPEG or WebP, checked before it is stored.
  logo          bytea check (octet_length(logo) <= 32768),
  logo_type     text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  updated_at    timestamptz not null,
  check ((logo is null) = (logo_type is null))
);
