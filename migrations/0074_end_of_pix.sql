-- When the pix of a charge ends, where that is before the end of the charge: with the price of its order. A charge that is there
-- already keeps the end that its bank was told.
alter table charges add column pix_ends_at timestamptz;
