-- Chains that name blocks, finality and fees; slots that can be voided; orders that wait in line for a slot.

-- The simulated chains: more faults, blocks that a reorganisation replaced, transactions that move nothing or less than was sent.
alter table sandbox_chains drop constraint sandbox_chains_fault_check;
alter table sandbox_chains add constraint sandbox_chains_fault_check check (fault in (
  'none', 'stalled', 'reverting', 'keeps_part', 'foreign_use', 'refusing', 'lagging', 'empty', 'rpc_timeout'
));
alter table sandbox_chains add column forks jsonb not null default '[]';
alter table sandbox_chain_transactions alter column destination drop not null;
alter table sandbox_chain_transactions alter column symbol drop not null;
alter table sandbox_chain_transactions alter column units drop not null;
alter table sandbox_chain_transactions add column kept_units numeric not null default 0;

-- The block in which a lookup saw the transfer: another hash at that height proves that it is part of the chain no more.
alter table payouts add column block_number bigint, add column block_hash text;
-- A void moves nothing and uses the slot up.
alter table payout_attempts add column kind text not null default 'transfer' check (kind in ('transfer', 'void'));
