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
  primary key (return_id, line),
  foreign key (charge_id, account_id) references charges (id, account_id)
);
create index boleto_return_entries_digest on boleto_return_entries (rail, digest);
create index boleto_return_entries_charge on boleto_return_entries (charge_id, account_id) where charge_id is not null;
