-- Boletos that a bank registers by its API.

-- By which the bank knows a request from its first answer on, where that is not the reference.
alter table charge_methods add column bank_id text check (length(bank_id) between 1 and 255);

-- A boleto may carry a pix code. A pix finds it by the txid that the bank gave the code, or by the location in it.
create index charge_methods_boleto_txid on charge_methods ((instrument -> 'pix' ->> 'txid'))
  where method = 'boleto' and instrument ? 'pix';
create index charge_methods_boleto_location on charge_methods ((instrument -> 'pix' ->> 'location'))
  where method = 'boleto' and instrument ? 'pix';

alter table payments
  -- A boleto was paid by its pix code: the bank tells of the money as a boleto, as a pix, or as both.
  add column is_by_pix boolean not null default false,
  -- The other of the two references, once the bank has told of both.
  add column also_reported_as text check (length(also_reported_as) between 1 and 255),
  add check (also_reported_as is null or is_by_pix);
create unique index payments_also_reported_as on payments (lower(also_reported_as collate "C"))
  where also_reported_as is not null;
