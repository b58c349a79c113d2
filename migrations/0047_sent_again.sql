-- When a request was last sent to a bank again, because the bank did not show the first: how long it may take to show it counts from
-- then, and what the bank has made of both is looked for once.
alter table charge_methods add column resent_at timestamptz;
