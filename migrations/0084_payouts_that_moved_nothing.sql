-- Before an order gets another payout, those before it are looked up again.
create index payouts_that_moved_nothing on payouts (order_id) where state in ('reverted', 'voided');
