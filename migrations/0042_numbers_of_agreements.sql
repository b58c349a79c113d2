-- Whose numbers a rail gives, and from which on: another rail of the same agreement with the bank must not give them again, also
-- long after this one is gone. Both are filled in at the next start.
alter table boleto_agreements
  add column agreement text check (length(agreement) between 1 and 255),
  add column first_number bigint check (first_number >= 1);
