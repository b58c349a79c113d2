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

alter table payouts drop constraint payouts_state_check;
-- mismatched: crypto left in another way than was asked; voided: its nonce is used up and nothing moved, as an operator wanted.
alter table payouts add constraint payouts_state_check check (state in (
  'open', 'done', 'final', 'reverted', 'mismatched', 'voided'
));
alter table payouts drop constraint payouts_last_sighting_check;
alter table payouts add constraint payouts_last_sighting_check check (last_sighting in (
  'absent', 'pending', 'stuck', 'taken', 'mined', 'unknown'
));
alter table payouts
  -- From then on no further transfer is signed for the slot.
  add column void_requested_at timestamptz,
  -- What left the sender, where it is not what was asked; and the fee of the network, in its coin, as the ledger has it.
  add column left_units numeric check (left_units >= 0),
  add column fee_units numeric check (fee_units >= 0);
-- An order gets a second payout only after the first one moved nothing for good.
drop index payouts_one;
create unique index payouts_one on payouts (order_id, account_id) where state not in ('reverted', 'voided');
-- The slots of a sender that no block has used yet.
create index payouts_unmined on payouts (network, sender) include (symbol, units)
  where state in ('open', 'done') and block_number is null;
-- Each network has a queue of its own now: payouts whose job waits in the old one are looked up at once.
update payouts set next_look_at = now() where state in ('open', 'done') and next_look_at is null;

alter table chain_senders
  -- Its key was used by somebody else: it takes no slot until an operator lifts this.
  add column halted_at timestamptz,
  -- When the line of orders is looked at again without being woken.
  add column next_claim_at timestamptz;

alter table orders drop constraint orders_hold_reason_check;
alter table orders add constraint orders_hold_reason_check check (hold_reason in (
  'underpaid', 'quote_expired', 'refund_pending', 'partially_refunded', 'paid_after_end', 'transfer_refused', 'no_funds',
  'payout_stuck', 'slot_taken', 'payout_voided', 'transfer_reverted', 'transfer_mismatched', 'reorganised'
));
alter table orders
  -- Since when it stands in line for a slot of its network; null when it does not.
  add column waits_since timestamptz,
  -- It is passed over until then.
  add column not_before timestamptz,
  -- The request that sent it again, so that its transaction, run again, finds its own change.
  add column retry_id uuid;
create index orders_waiting on orders (network, waits_since, id) where waits_since is not null;

alter table ledger_entries drop constraint ledger_entries_kind_check;
alter table ledger_entries add constraint ledger_entries_kind_check check (kind in (
  'payment', 'settlement', 'refund', 'commitment', 'release', 'payout', 'payout_undone', 'network_fee', 'network_fee_corrected'
));
alter table ledger_lines drop constraint ledger_lines_book_check;
alter table ledger_lines add constraint ledger_lines_book_check check (book in (
  'payer', 'receivable', 'settled', 'refund', 'exchange', 'fee', 'crypto_owed', 'crypto_paid', 'network_fee'
));
