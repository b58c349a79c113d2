-- Charges: what is asked for, how it can be paid, what was paid and refunded, and what is due when.
-- The account is part of every key, so that the tables can be spread over machines by it. The id leads, so that the same index
-- finds a row by its id alone.
create table charges (
  id                   uuid not null,
  account_id           text not null references accounts (id),
  external_id          text check (length(external_id) between 1 and 255),
  source_key           text check (length(source_key) between 1 and 255),
  -- The crypto order that this charge pays for. No foreign key: orders.charge_id points back and both rows are inserted in one
  -- transaction, so one of the two keys would have to be deferred and every write of an order would pay for both.
  order_id             uuid,
  state                text not null default 'CREATING' check (state in (
    'CREATING', 'ACTIVE', 'OVERDUE', 'PARTIALLY_PAID', 'PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'EXPIRED', 'CANCELED',
    'FAILED'
  )),
  amount_cents         bigint not null check (amount_cents >= 1),
  currency             text not null check (currency in ('BRL', 'USD', 'EUR')),
  -- Pix and boleto are paid in reais: equal to amount_cents, or converted once at the rate below.
  payable_cents        bigint not null check (payable_cents >= 1),
  rate                 numeric check (rate > 0),
  rate_source          text,
  rate_at              timestamptz,
  customer             jsonb not null,
  fine_percent         numeric check (fine_percent >= 0),
  interest_percent     numeric check (interest_percent >= 0),
  due_at               timestamptz not null,
  expire_at            timestamptz not null check (expire_at >= due_at),
  -- How the first payment came: when, and how much. Independent of each other and of the state.
  timing               text check (timing in ('on_time', 'late')),
  paid_amount          text check (paid_amount in ('exact', 'partial', 'over')),
  -- What was owed, in reais, on the day of the first payment.
  owed_cents           bigint check (owed_cents >= 1),
  -- How much of the money was turned into crypto and cannot be refunded any more.
  committed_cents      bigint not null default 0 check (committed_cents >= 0),
  event_count          integer not null default 0,
  -- A repeated request must have the same content, and is answered with these exact bytes.
  content_hash         bytea not null,
  answer               json not null,
  created_at           timestamptz not null,
  -- What a caller writes on a charge for its own use. E-mail and phone of the payer are in `customer`.
  description          text check (length(description) between 1 and 140),
  metadata             jsonb check (jsonb_typeof(metadata) = 'object'),
  -- A link to the checkout of an earlier epoch is withdrawn.
  link_epoch           smallint not null default 0 check (link_epoch between 0 and 255),
  -- The last other due date that was asked for, and what became of it: a bank that works with files answers days later.
  asked_due_at         timestamptz,
  due_change_status    text constraint charges_due_change_status check (due_change_status in ('PENDING', 'DONE', 'FAILED')),
  due_change_reason    text,
  -- Money has come, and at no time as much as was owed.
  is_paid_in_part      boolean not null default false,
  -- The charge that was paid in part, of which this one asks for the rest; and the other way round. No foreign keys: both rows point
  -- at each other.
  remainder_of         uuid,
  remainder_id         uuid,
  remainder_cents      bigint,
  is_remainder_paid    boolean not null default false,
  -- When a bank with an API was asked for that due date, and the code under which it works on it.
  due_change_sent_at   timestamptz,
  due_change_code      text,
  -- When the pix of a charge ends, where that is before the end of the charge: with the price of its order.
  pix_ends_at          timestamptz,
  -- What the charges for the rest have brought, and what of that went back. There may be several: one that ended unpaid is followed
  -- by another, and may still be paid late.
  rests_cents          bigint not null default 0,
  rests_returned_cents bigint not null default 0,
  primary key (id, account_id),
  check ((currency = 'BRL') = (rate is null)),
  check ((rate is null) = (rate_source is null) and (rate is null) = (rate_at is null)),
  constraint charges_due_change check ((asked_due_at is null) = (due_change_status is null)),
  constraint charges_remainder check (
    (remainder_id is null) = (remainder_cents is null) and (remainder_id is not null or not is_remainder_paid))
);

-- One index finds an externalId, of one account or of any: an index is written with every charge and with every step of it.
create unique index charges_external_id on charges (external_id, account_id) where external_id is not null;

-- The list of charges: each combination of filters has an index in the order of the list, because a rare combination would
-- otherwise be searched for among many rows. See 0017_list_pages.sql.
create index charges_newest on charges (created_at desc, id desc);
create index charges_by_account on charges (account_id, created_at desc, id desc);
create index charges_by_state on charges (state, created_at desc, id desc);
create index charges_by_account_state on charges (account_id, state, created_at desc, id desc);
create index charges_by_source_key on charges (source_key, created_at desc, id desc) where source_key is not null;
create index charges_by_source_key_state on charges (source_key, state, created_at desc, id desc)
  where source_key is not null;
create index charges_by_account_source_key on charges (account_id, source_key, created_at desc, id desc)
  where source_key is not null;
create index charges_by_account_source_key_state on charges (account_id, source_key, state, created_at desc, id desc)
  where source_key is not null;
-- All charges of a payer, newest first: the list filtered by CPF or CNPJ, the search box, and what is kept of a person.
create index charges_of_document on charges ((customer ->> 'document'), created_at desc, id desc);
create index charges_of_rests on charges (remainder_of) where remainder_of is not null;

-- A method that a charge can be paid by.
-- The row is updated twice soon after its insert: when it is submitted and when the rail has answered. A page filled by half has
-- room for the new versions, so they stay in the page and no index is written.
create table charge_methods (
  charge_id    uuid not null,
  account_id   text not null,
  method       text not null check (method in ('boleto', 'pix')),
  rail         text not null,
  status       text not null check (status in (
    'CREATING', 'ACTIVE', 'REGISTERED', 'PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED',
    'FAILED', 'OVERDUE', 'EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD'
  )),
  -- What the payer pays with. A bank's own code comes later, or never.
  instrument   jsonb,
  reason       text,
  -- Written before the rail is called: a method that may have been submitted is looked up, never submitted blindly again.
  submitted_at timestamptz,
  updated_at   timestamptz not null,
  -- By which the rail knows the method: the txid of a pix, the nosso número of a boleto. It never changes.
  reference    text,
  -- The location of a PSP that it was given (rail_locations): every request about it must name the same one.
  location     jsonb,
  -- By which the bank knows a request from its first answer on, where that is not the reference.
  bank_id      text check (length(bank_id) between 1 and 255),
  -- When a request was last sent to a bank again, because the bank did not show the first: how long it may take to show it counts from
  -- then, and what the bank has made of both is looked for once.
  resent_at    timestamptz,
  primary key (charge_id, account_id, method),
  foreign key (charge_id, account_id) references charges (id, account_id),
  constraint charge_methods_reference_known check (status = 'FAILED' or reference is not null),
  constraint charge_methods_check1 check (status <> 'FAILED' or reason is not null)
) with (fillfactor = 50);
-- Finds the charge of a pix in a bank statement.
create index charge_methods_reference on charge_methods (reference);
-- A boleto may carry a pix code. A pix finds it by the txid that the bank gave the code, or by the location in it.
create index charge_methods_boleto_txid on charge_methods ((instrument -> 'pix' ->> 'txid'))
  where method = 'boleto' and instrument ? 'pix';
create index charge_methods_boleto_location on charge_methods ((instrument -> 'pix' ->> 'location'))
  where method = 'boleto' and instrument ? 'pix';

-- Money that came.
create table payments (
  id               uuid not null,
  account_id       text not null,
  charge_id        uuid not null,
  method           text not null check (method in ('boleto', 'pix')),
  amount_cents     bigint not null check (amount_cents >= 1),
  paid_at          timestamptz not null,
  source           text not null,
  -- In one spelling: NFKC, without characters that cannot be seen, with single spaces.
  reference        text not null check (length(reference) between 1 and 255),
  timing           text not null check (timing in ('on_time', 'late')),
  -- The charge was paid already. The payment is still recorded and announced, and can be refunded.
  is_repeat        boolean not null,
  -- The status that had ended the method before the money came.
  came_after       text check (came_after in ('EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD', 'FAILED')),
  recorded_at      timestamptz not null,
  -- The CPF or CNPJ of the payer, as far as the statement shows it; hidden digits are *. It tells two equal payments apart.
  payer_document   text,
  rail             text not null,
  -- What the bank kept of it, and the day on which the rest is in the account.
  fee_cents        bigint check (fee_cents >= 0),
  credit_day       date,
  -- By which way a boleto was paid, in the bank's code.
  channel          text check (channel ~ '^[0-9A-Z]{2}$'),
  -- A boleto was paid by its pix code: the bank reports the money as a boleto, as a pix, or as both.
  is_by_pix        boolean not null default false,
  -- The other of the two references, once the bank has reported both.
  also_reported_as text check (length(also_reported_as) between 1 and 255),
  -- Who reported it, by hand or by importing the file in which it stands. They do not approve the order that it pays. Null where a bank
  -- reported it.
  reported_by      text,
  primary key (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id),
  check (also_reported_as is null or is_by_pix)
);
-- A payment counts once on the rail that received it, for all accounts, which may share a receiving key, and for all spellings of its
-- reference. "C" changes ASCII letters alone, as the service does.
create unique index payments_once on payments (rail, lower(reference collate "C"));
create unique index payments_also_reported_as on payments (lower(also_reported_as collate "C"))
  where also_reported_as is not null;
create index payments_of_charge on payments (charge_id, account_id);
-- Payments of a day. They are inserted nearly in order of time.
create index payments_paid_at on payments using brin (paid_at);
-- A statement may show money under another reference: it is looked for by amount and day.
create index pix_payments_of_amount on payments (amount_cents, paid_at) where method = 'pix';
create index boletos_by_pix_of_amount on payments (amount_cents, paid_at) where is_by_pix;

-- Money that goes back. A refund counts as soon as it is asked for, so that no cent is refunded twice.
create table refunds (
  id              uuid not null,
  account_id      text not null,
  charge_id       uuid not null,
  payment_id      uuid not null,
  amount_cents    bigint not null check (amount_cents >= 1),
  status          text not null check (status in ('PENDING', 'DONE', 'FAILED')),
  reason          text,
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  -- A repeat under the same key must have the same content.
  content_hash    bytea,
  submitted_at    timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  -- return: the bank took money back that nobody here asked for. It has no request, and so no key and no content.
  kind            text not null default 'refund' check (kind in ('refund', 'return')),
  reference       text,
  primary key (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id),
  foreign key (payment_id, account_id) references payments (id, account_id),
  check (kind = 'return' or content_hash is not null),
  check (kind = 'refund' or reference is not null)
);
create index refunds_of_charge on refunds (charge_id, account_id);
create unique index refunds_once on refunds (charge_id, account_id, idempotency_key) where idempotency_key is not null;
create unique index refunds_returned_once on refunds (payment_id, reference) where kind = 'return';

-- What a charge waits for. The sweep takes due timers, oldest first.
create table charge_timers (
  charge_id  uuid not null,
  account_id text not null,
  kind       text not null check (kind in ('overdue', 'expire', 'settle', 'reconcile')),
  at         timestamptz not null,
  -- A rail is asked at this time, or an order continues. A sandbox clock that is moved stops at each of these.
  is_awaited boolean not null default false,
  primary key (charge_id, account_id, kind),
  foreign key (charge_id, account_id) references charges (id, account_id)
);
create index charge_timers_due on charge_timers (at, charge_id, kind);
create index charge_timers_awaited on charge_timers (at) where is_awaited;

-- Links to the checkout of a charge. A link bears the id of the charge, an epoch and a MAC under this key, so that it needs no
-- row of its own and a forged one is refused without a query. A sealed key has at least 65 bytes.
create table checkout_links (
  only_one boolean primary key default true check (only_one),
  key      bytea not null check (octet_length(key) = 32 or octet_length(key) >= 65)
);
insert into checkout_links (key)
values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));
