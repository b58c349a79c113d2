-- Who asked for a payout, for limits of accounts and keys; and the indexes from which their last 24 hours are counted.
alter table payouts add column requested_by text;

create index payouts_by_account on payouts (account_id, network, symbol, created_at) include (units)
  where order_id is not null and state not in ('reverted', 'voided');
create index payouts_by_requester on payouts (requested_by, network, symbol, created_at) include (units)
  where requested_by is not null and order_id is not null and state not in ('reverted', 'voided');
