-- Boletos that a bank registers from files: agreements, files to banks, files from banks.

-- An agreement with a bank. A nosso número is taken in the transaction of the charge that has it, and never given again.
create table boleto_agreements (
  rail             text primary key,
  next_number      bigint not null check (next_number >= 1),
  -- When a node meets the server of the bank next, and when one last did. The lease of this work is in `leases`; turn_until is no longer
  -- read.
  next_exchange_at timestamptz,
  turn_until       timestamptz,
  exchanged_at     timestamptz,
  -- Why the last exchange failed; null when it did not.
  exchange_error   text,
  -- Whose numbers the rail gives, and from which on: another rail of the same agreement must not give them again, also long after this
  -- one is gone. Both are filled in at a start.
  agreement        text check (length(agreement) between 1 and 255),
  first_number     bigint check (first_number >= 1)
);

-- A file to a bank. Rows stay, and with them the highest sequence, the number of titles and the hash.
create table boleto_files (
  rail             text not null references boleto_agreements (rail),
  sequence         integer not null check (sequence >= 1),
  made_at          timestamptz not null,
  titles           integer not null check (titles >= 0),
  sha256           bytea not null,
  -- When it was first put into the folder from which it goes to the bank.
  offered_at       timestamptz,
  -- The bank never got it: what it has not answered goes into a new file.
  renewed_at       timestamptz,
  -- A person who fetches a file carries it to the bank: nothing else does then.
  taken_by_hand    boolean not null default false,
  -- Its bytes name payers, and are removed some time after the bank has answered all of it.
  bytes_removed_at timestamptz,
  -- A file that was offered again may have reached its bank twice, which refuses what it has already.
  offered_again_at timestamptz,
  primary key (rail, sequence)
);
create index boleto_files_unoffered on boleto_files (rail, sequence) where offered_at is null;
create index boleto_files_with_bytes on boleto_files (made_at, rail, sequence) where bytes_removed_at is null;

-- The bytes of a file in order, each part compressed by gzip: no statement has to hold a whole file. They are kept, so that a file that is
-- fetched again is the same file.
create table boleto_file_parts (
  rail     text not null,
  sequence integer not null,
  part     integer not null,
  body     bytea not null,
  primary key (rail, sequence, part),
  foreign key (rail, sequence) references boleto_files (rail, sequence)
);

-- What a bank is asked to do with a boleto. It waits until a file has it, or until it is needless.
create table boleto_instructions (
  id              uuid not null,
  account_id      text not null,
  charge_id       uuid not null,
  rail            text not null references boleto_agreements (rail),
  movement        text not null check (movement in ('register', 'write_off', 'change_due_day')),
  created_at      timestamptz not null,
  -- The file that has it.
  sequence        integer,
  -- The charge ended before a file had it.
  dropped_at      timestamptz,
  -- The due date that it asks for. A bank may answer when another one was asked for since.
  due_at          timestamptz,
  -- The bank has answered, or no answer is needed any more.
  closed_at       timestamptz,
  -- The file that had it before it was renewed.
  former_sequence integer,
  primary key (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id),
  foreign key (rail, sequence) references boleto_files (rail, sequence),
  foreign key (rail, former_sequence) references boleto_files (rail, sequence),
  check (sequence is null or dropped_at is null)
);
-- A due date may be changed more than once.
create unique index boleto_instructions_once on boleto_instructions (charge_id, account_id, movement)
  where movement <> 'change_due_day';
create index boleto_instructions_waiting on boleto_instructions (rail, id)
  where sequence is null and dropped_at is null;
create index boleto_instructions_open on boleto_instructions (rail, sequence)
  where sequence is not null and closed_at is null;
-- What a bank says of a charge is looked up by the charge.
create index boleto_instructions_of_charge on boleto_instructions (charge_id);
create index boleto_instructions_changes on boleto_instructions (charge_id) where movement = 'change_due_day';

-- Lists of instructions, by rail and by status.
create function boleto_instruction_status(sequence integer, dropped_at timestamptz) returns text
  language sql immutable parallel safe
  return case when sequence is not null then 'in_file' when dropped_at is not null then 'dropped' else 'waiting' end;
create index boleto_instructions_newest on boleto_instructions (rail, id desc);
create index boleto_instructions_by_status on boleto_instructions (boleto_instruction_status(sequence, dropped_at), id desc);
create index boleto_instructions_by_rail_status
  on boleto_instructions (rail, boleto_instruction_status(sequence, dropped_at), id desc);

-- How many instructions there are, kept like the balances of the ledger: see 0007_ledger.sql.
create table boleto_instruction_counts (
  rail         text   not null,
  status       text   not null,
  instructions bigint not null,
  primary key (rail, status)
);

create table boleto_instruction_changes (
  rail         text   not null,
  status       text   not null,
  instructions bigint not null
);

create function record_instruction_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into boleto_instruction_changes
    select rail, boleto_instruction_status(sequence, dropped_at), count(*) from new_rows group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into boleto_instruction_changes
    select rail, boleto_instruction_status(sequence, dropped_at), -count(*) from old_rows group by 1, 2;
  else
    insert into boleto_instruction_changes
    select rail, status, sum(change)
      from (select rail, boleto_instruction_status(sequence, dropped_at) as status, 1 as change from new_rows
             union all
            select rail, boleto_instruction_status(sequence, dropped_at), -1 from old_rows) changed
     group by rail, status
    having sum(change) <> 0;
  end if;
  return null;
end
$$;
create trigger boleto_instructions_inserted after insert on boleto_instructions
  referencing new table as new_rows for each statement execute function record_instruction_changes();
create trigger boleto_instructions_updated after update on boleto_instructions
  referencing new table as new_rows old table as old_rows for each statement execute function record_instruction_changes();
create trigger boleto_instructions_deleted after delete on boleto_instructions
  referencing old table as old_rows for each statement execute function record_instruction_changes();

-- Files from banks about boletos («retorno»). The same bytes again are the same file.
create table boleto_returns (
  id          uuid primary key,
  rail        text not null references boleto_agreements (rail),
  -- SHA-256 of the file, which itself is not kept.
  digest      bytea not null check (length(digest) = 32),
  -- The bank's own number and day of it.
  sequence    integer not null,
  made_on     date,
  received_at timestamptz not null,
  -- The actor, as in the audit log.
  received_by text not null,
  -- How many of its entries are booked: a reading that was cut off goes on after them.
  booked      integer not null default 0 check (booked >= 0),
  -- What was odd about it: a list of { message, line, count }.
  warnings    jsonb not null default '[]',
  finished_at timestamptz,
  -- By whose codes the file speaks; null in files from before this was recorded.
  bank        text,
  unique (rail, digest)
);
create index boleto_returns_newest on boleto_returns (received_at desc, id desc);

-- What a file says of a title, and what came of it here.
create table boleto_return_entries (
  return_id      uuid not null references boleto_returns (id),
  line           integer not null,
  rail           text not null,
  -- Of what the file says of the title, without its place in the file: the same in a file that the bank makes again.
  digest         bytea not null,
  occurrence     text not null,
  reasons        text[] not null,
  our_number     text,
  amount_cents   bigint not null,
  paid_cents     bigint not null,
  fee_cents      bigint not null,
  occurrence_day date,
  credit_day     date,
  outcome        text not null check (outcome in ('registered', 'rejected', 'paid', 'written_off', 'reversed', 'fee', 'noted',
                                                  'unmatched', 'possible_duplicate', 'needs_attention', 'repeated')),
  -- Why, where the outcome does not say it all.
  remark         text,
  charge_id      uuid,
  account_id     text,
  -- What needs a person is shown until one has seen it. seen_by is the actor, as in the audit log.
  seen_at        timestamptz,
  seen_by        text,
  primary key (return_id, line),
  foreign key (charge_id, account_id) references charges (id, account_id),
  check ((seen_at is null) = (seen_by is null))
);
create index boleto_return_entries_digest on boleto_return_entries (rail, digest);
create index boleto_return_entries_charge on boleto_return_entries (charge_id, account_id) where charge_id is not null;
create index boleto_return_entries_unseen on boleto_return_entries (rail, return_id, line)
  where outcome = 'needs_attention' and seen_at is null;

-- Files at the SFTP server of a bank that were fetched. A file is known by name, size and time, so that one with the name of an
-- older one is another file.
create table boleto_fetched_files (
  rail        text not null references boleto_agreements (rail),
  name        text not null,
  bytes       bigint not null check (bytes >= 0),
  modified_at timestamptz not null,
  fetched_at  timestamptz not null,
  return_id   uuid references boleto_returns (id),
  -- Why it is no return file of the agreement; null when it was read.
  refusal     text,
  -- A hash of the agreements in the settings: a file that was refused is read again when they are others.
  settings    text,
  primary key (rail, name, bytes, modified_at),
  check ((return_id is null) <> (refusal is null))
);
