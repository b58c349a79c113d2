-- The request that took the price of repriced_at. Two requests may fall into one millisecond, so the time does not tell them apart.
alter table orders add column reprice_id uuid;
