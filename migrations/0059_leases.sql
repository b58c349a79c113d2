-- Which node does a piece of work that one node does at a time, and until when (by the database's clock) no other one may. No row: no node does it.
-- Read no longer, and left for nodes of the version before: pruning.holder, pruning.held_until and boleto_agreements.turn_until. The times
-- when something is next due (next_look_at, next_fill_at, next_compare_at, next_exchange_at, payout_watches.next_at) say nothing else from now on.
create table leases (
  work       text primary key,
  holder     uuid not null,
  held_until timestamptz not null
);
