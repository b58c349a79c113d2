-- A price that is locked for a while, with the inputs that it was computed from. Inserted once, never changed. A caller may ask
-- for a quote before naming an account, so the account is not part of the key.
create table quotes (
  id                uuid primary key,
  account_id        text references accounts (id),
  symbol            text not null,
  network           text not null,
  currency          text not null check (currency in ('BRL', 'USD', 'EUR')),
  -- Currency for one unit of the asset.
  price             numeric not null check (price > 0 and price < 'Infinity'),
  fee_percent       numeric not null check (fee_percent between 0 and 50),
  fee_cents         bigint not null check (fee_cents >= 0),
  cost_cents        bigint not null check (cost_cents between 1 and 999999999999 and cost_cents >= fee_cents),
  -- The smallest units of the asset on its network, and how many decimals the asset has there.
  units             numeric not null check (units >= 1 and units = trunc(units) and units < 'Infinity'),
  decimals          smallint not null check (decimals between 0 and 18),
  price_source      text not null,
  price_at          timestamptz not null,
  inputs            jsonb not null,
  created_at        timestamptz not null,
  expires_at        timestamptz not null check (expires_at > created_at),
  -- What the payer bears of the network's fee, in the same smallest units: already taken off `units`.
  network_fee_units numeric not null default 0
    check (network_fee_units >= 0 and network_fee_units = trunc(network_fee_units) and network_fee_units < 'Infinity'),
  constraint quotes_asset foreign key (symbol, network) references network_assets (symbol, network)
);
