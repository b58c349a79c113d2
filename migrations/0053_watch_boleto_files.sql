-- What takes long is first, and locks one table: the others are locked for a short time at the end.

-- A file that the bank never got is renewed: what it has not answered goes into a new file.
alter table boleto_instructions
  -- The bank has answered, or no answer is needed any more.
  add column closed_at timestamptz,
  -- The file that had it before it was renewed.
  add column former_sequence integer;
-- Of what was decided before, nobody waits for an answer.
update boleto_instructions i set closed_at = i.created_at
 where i.sequence is not null
   and (not exists (select from charge_methods m
                     where m.charge_id = i.charge_id and m.account_id = i.account_id and m.method = 'boleto' and m.status = 'CREATING')
        or exists (select from boleto_return_entries e where e.charge_id = i.charge_id and e.account_id = i.account_id));
create index boleto_instructions_open on boleto_instructions (rail, sequence)
  where sequence is not null and closed_at is null;
-- What a bank says of a charge is looked up by the charge.
create index boleto_instructions_of_charge on boleto_instructions (charge_id);
alter table boleto_instructions
  add foreign key (rail, former_sequence) references boleto_files (rail, sequence);

alter table boleto_files
  add column renewed_at timestamptz,
  -- A person who fetches a file carries it to the bank: nothing else does then.
  add column taken_by_hand boolean not null default false;

-- A file of the server that was refused is read again when the agreements in the settings are others: a hash of them.
alter table boleto_fetched_files add column settings text;

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
