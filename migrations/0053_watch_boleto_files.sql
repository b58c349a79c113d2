-- By whose codes a file speaks; not known of files that are there.
alter table boleto_returns add column bank text;

-- What a bank tells of boletos and needs a person is shown until one has seen it.
alter table boleto_return_entries
  add column seen_at timestamptz,
  -- The actor, as in the audit log.
  add column seen_by text,
  add check ((seen_at is null) = (seen_by is null));
create index boleto_return_entries_unseen on boleto_return_entries (rail, return_id, line)
  where outcome = 'needs_attention' and seen_at is null;
