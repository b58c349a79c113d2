-- Charges: what is asked for, how it can be paid, what was paid and refunded, and what is due when.
-- The account is part of every key, so that the tables can be spread over machines by it. The id leads, so that the same index
-- finds a row by its id alone.
create table charges (
  id               uuid not null,
  account_id       text not null references accounts (id),
  external_id      text check (length(external_id) between 1 and 255),
  source_key       text check (length(source_key) between 1 and 255),
  -- The crypto order that this charge pays for. No foreign key: orders.charge_id points back and both rows are inserted in one
  -- transaction, so one of the two keys would have to be deferred and every write of an order would pay for both.
  order_id         uuid,
  state            text not null default 'CREATING' check (state in (
    'CREATING', 'ACTIVE', 'OVERDUE', 'PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'EXPIRED', 'CANCELED', 'FAILED'
  )),
  amount_cents     bigint not null check (amount_cents >= 1),
  currency         text not null check (currency in ('BRL', 'USD', 'EUR')),
  -- Pix and boleto are paid in reais: equal to amount_cents, or converted once at the rate below.
  payable_cents    bigint not null check (payable_cents >= 1),
  rate             numeric check (rate > 0),
  rate_source      text,
  rate_at          timestamptz,
  customer         jsonb not null,
  fine_percent     numeric check (fine_percent >= 0),
  interest_percent numeric check (interest_percent >= 0),
  due_at           timestamptz not null,
  expire_at        timestamptz not null check (expire_at >= due_at),
  -- How the first payment came: when, and how much. Independent of each other and of the state.
  timing           text check (timing in ('on_time', 'late')),
  paid_amount      text check (paid_amount in ('exact', 'partial', 'over')),
  -- What was owed, in reais, on the day of the first payment.
  owed_cents       bigint check (owed_cents >= 1),
  -- How much of the money was turned into crypto and cannot be refunded any more.
  committed_cents  bigint not null default 0 check (committed_cents >= 0),
  event_count      integer not null default 0,
  -- A repeated request must have the same content, and is answered with these exact bytes.
  content_hash     bytea not null,
  answer           json not null,
  created_at       timestamptz not null,
  primary key (id, account_id),
  check ((currency = 'BRL') = (rate is null)),
  check ((rate is null) = (rate_source is null) and (rate is null) = (rate_at is null))
);

-- One index finds an externalId, of one account or of any: an index is written with every charge and with every step of it.
create unique index charges_external_id on charges (external_id, account_id) where external_id is not null;

-- The list of charges: each combination of filters has an index in the order of the list, because a rare combination would
-- otherwise be searched for among many rows. See 0012_list_pages.sql.
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

-- A method that a charge can be paid by, with the references that its rail was given; these never change.
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
  instrument   jsonb,
  reason       text,
  -- Written before the rail is called: a method that may have been submitted is looked up, never submitted blindly again.
  submitted_at timestamptz,
  updated_at   timestamptz not null,
  primary key (charge_id, account_id, method),
  foreign key (charge_id, account_id) references charges (id, account_id),
  check (status = 'FAILED' or instrument is not null),
  check (status <> 'FAILED' or reason is not null)
) with (fillfactor = 50);
-- Finds the charge of a pix in a bank statement.
create index charge_methods_txid on charge_methods ((instrument ->> 'txid')) where method = 'pix';

-- Money that came. An account's reference of the bank is recorded once, whichever source reports it and however often.
create table payments (
  id           uuid not null,
  account_id   text not null,
  charge_id    uuid not null,
  method       text not null check (method in ('boleto', 'pix')),
  amount_cents bigint not null check (amount_cents >= 1),
  paid_at      timestamptz not null,
  source       text not null,
  reference    text not null check (length(reference) between 1 and 255),
  timing       text not null check (timing in ('on_time', 'late')),
  -- The charge was paid already. The payment is recorded and announced all the same, and can be refunded.
  is_repeat    boolean not null,
  -- The status that had ended the method before the money came.
  came_after   text check (came_after in ('EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD')),
  recorded_at  timestamptz not null,
  primary key (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id),
  unique (account_id, reference)
);
create index payments_of_charge on payments (charge_id, account_id);

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
  content_hash    bytea not null,
  submitted_at    timestamptz,
  created_at      timestamptz not null,
  updated_at      timestamptz not null,
  primary key (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id),
  foreign key (payment_id, account_id) references payments (id, account_id)
);
create index refunds_of_charge on refunds (charge_id, account_id);
create unique index refunds_once on refunds (charge_id, account_id, idempotency_key) where idempotency_key is not null;

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

-- Money in a bank statement that matches no charge. It is kept and listed for a person to decide.
create table unmatched_receipts (
  reference    text primary key,
  posted_at    timestamptz not null,
  amount_cents bigint not null check (amount_cents >= 1),
  txid         text,
  -- The description that the statement gives.
  words        text not null,
  recorded_at  timestamptz not null
);
create index unmatched_receipts_newest on unmatched_receipts (posted_at desc, reference desc);
