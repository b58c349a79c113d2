-- What is taken off a charge: an abatement whenever it is paid, and up to three discounts for paying early. Amounts in them are in the
-- currency of the charge, as they were asked for. A charge without them has nulls.
alter table charges add column abatement jsonb
  constraint charges_abatement check (jsonb_typeof(abatement) = 'object');
alter table charges add column discounts jsonb
  constraint charges_discounts check (jsonb_typeof(discounts) = 'array' and jsonb_array_length(discounts) between 1 and 3);

-- What the bank took off a payment, where it reports that.
alter table payments add column discount_cents bigint check (discount_cents >= 0);
alter table payments add column abatement_cents bigint check (abatement_cents >= 0);
