-- A database of 0.2.0: its tables are set aside, the baseline is made, and the rows are copied into it.
-- The second half of this step is 0.2.0-2-copy-rows.sql; the baseline comes between them, all in one transaction.
create schema trilho_0_2_0;

do $$
declare
  item text;
begin
  -- With their indexes, constraints, triggers and sequences.
  foreach item in array array[
    'accounts', 'api_keys', 'audit_inbox', 'audit_log', 'audit_seal', 'chain_senders', 'charge_methods', 'charge_timers', 'charges',
    'event_feed', 'event_positions', 'event_readers', 'events', 'idempotency_keys', 'installation', 'ledger_entries', 'ledger_lines',
    'list_buckets_to_split', 'list_changes', 'list_counts', 'list_merge', 'list_rollups', 'listed_charges', 'listed_orders', 'orders',
    'order_timers', 'payments', 'payout_attempts', 'payouts', 'quote_uses', 'quotes', 'refunds', 'sandbox_chain_transactions',
    'sandbox_chains', 'sandbox_clock', 'sweep_lock', 'unmatched_receipts', 'unpositioned_events', 'wallets', 'webhook_attempts',
    'webhook_deliveries', 'webhook_replays', 'webhooks'
  ] loop
    execute format('alter table %I set schema trilho_0_2_0', item);
  end loop;
  foreach item in array array[
    'bucket_bits', 'clear_list_counts', 'count_before', 'count_rows', 'find_bucket', 'find_list_page', 'first_unmerged_xid',
    'from_epoch_ms', 'iso_utc', 'list_row_ids', 'merge_list_changes', 'queue_events_for_position', 'record_charge_changes',
    'record_order_changes', 'refuse_audit_change', 'refuse_audit_loss', 'refuse_ledger_change', 'refuse_unbalanced_lines',
    'split_list_buckets', 'split_threshold', 'tick_of', 'tick_start'
  ] loop
    execute format('alter function %I set schema trilho_0_2_0', item);
  end loop;
  alter type list_change set schema trilho_0_2_0;
end
$$;
