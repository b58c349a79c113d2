-- When the pix of a charge ends, where that is before the end of the charge: with the price of its order. A charge that is there
-- already keeps the end that its bank was told.
alter table charges add column pix_ends_at timestamptz;

-- What the charges for the rest have brought, and what of that went back. There may be several: one that ended unpaid is followed by
-- another, and may be paid late all the same.
alter table charges
  add column rests_cents          bigint not null default 0,
  add column rests_returned_cents bigint not null default 0;
update charges set rests_cents = remainder_cents where is_remainder_paid;
create index charges_of_rests on charges (remainder_of) where remainder_of is not null;
