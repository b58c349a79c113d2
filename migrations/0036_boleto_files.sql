-- Boletos that a bank registers from files. A nosso número is taken in the transaction of the charge that has it, and never
-- given again.
create table boleto_agreements (
  rail        text primary key,
  next_number bigint not null check (next_number >= 1)
);

-- A file to a bank. Rows stay, and with them the highest sequence. Its bytes are kept, so that a file that is fetched again is
-- the same file.
create table boleto_files (
  rail       text not null references boleto_agreements (rail),
  sequence   integer not null check (sequence >= 1),
  made_at    timestamptz not null,
  titles     integer not null check (titles >= 0),
  sha256     bytea not null,
  -- When it was first put into the folder from which it goes to the bank.
  offered_at timestamptz,
  primary key (rail, sequence)
);
create index boleto_files_unoffered on boleto_files (rail, sequence) where offered_at is null;

-- The bytes of a file in order, each part compressed by gzip: no statement has to hold a whole file.
create table boleto_file_parts (
  rail     text not null,
  sequence integer not null,
  part     integer not null,
  body     bytea not null,
  primary key (rail, sequence, part),
  foreign key (rail, sequence) references boleto_files (rail, sequence)
);

-- What a bank is to be told about a boleto. It waits until a file has it, or until it is needless.
create table boleto_instructions (
  id         uuid not null,
  account_id text not null,
  charge_id  uuid not null,
  rail       text not null references boleto_agreements (rail),
  movement   text not null check (movement in ('register', 'write_off')),
  created_at timestamptz not null,
  -- The file that has it.
  sequence   integer,
  -- The charge ended before a file had it.
  dropped_at timestamptz,
  primary key (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id),
  foreign key (rail, sequence) references boleto_files (rail, sequence),
  check (sequence is null or dropped_at is null)
);
create unique index boleto_instructions_once on boleto_instructions (charge_id, account_id, movement);
create index boleto_instructions_waiting on boleto_instructions (rail, id)
  where sequence is null and dropped_at is null;
