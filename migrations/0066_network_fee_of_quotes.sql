-- What the payer of a quote bears of the network's fee, in smallest units of the asset; the quantity is what is left of what the cost buys.
alter table quotes add column network_fee_units numeric not null default 0
  check (network_fee_units >= 0 and network_fee_units = trunc(network_fee_units) and network_fee_units < 'Infinity');
