-- The life of a charge after its creation.
alter table charges
  add column state       text not null default 'CREATING' check (state in (
    'CREATING', 'ACTIVE', 'OVERDUE', 'PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'EXPIRED', 'CANCELED', 'FAILED'
  )),
  -- How the first money came. Independent of each other and of the state.
  add column timing      text check (timing in ('on_time', 'late')),
  add column paid_amount text check (paid_amount in ('exact', 'partial', 'over')),
  -- What was owed, in reais, on the day the first money came.
  add column owed_cents  bigint check (owed_cents >= 1),
  add column event_count integer not null default 0;

create index charges_by_external_id on charges (external_id) where external_id is not null;
create index charges_newest on charges (created_at desc, id desc);
create index charges_by_account on charges (account_id, created_at desc, id desc);
create index charges_by_state on charges (state, created_at desc, id desc);
create index charges_by_source_key on charges (source_key, created_at desc, id desc) where source_key is not null;

-- Why a method is where it is may be said of any status.
alter table charge_methods drop constraint charge_methods_check1;
alter table charge_methods add check (status <> 'FAILED' or reason is not null);

-- Money that came. A bank's own reference is taken once per account, whoever tells of it and however often.
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
  -- True for money that came when the charge was paid already: recorded, announced, refundable.
  is_repeat    boolean not null,
  -- What had ended the method before the money came.
  came_after   text check (came_after in ('EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD')),
  recorded_at  timestamptz not null,
  primary key (id, account_id),
  foreign key (charge_id, account_id) references charges (id, account_id),
  unique (account_id, reference)
);
create index payments_of_charge on payments (charge_id, account_id);

-- Money that goes back. It counts from the moment it is asked for, so that no cent is promised twice.
create table refunds (
  id           uuid not null,
  account_id   text not null,
  charge_id    uuid not null,
  payment_id   uuid not null,
  amount_cents bigint not null check (amount_cents >= 1),
  status       text not null check (status in ('PENDING', 'DONE', 'FAILED')),
  reason       text,
  idempotency_key text check (length(idempotency_key) between 1 and 255),
  -- What a repeat under the same key must equal.
  content_hash bytea not null,
  submitted_at timestamptz,
  created_at   timestamptz not null,
  updated_at   timestamptz not null,
  primary key (id, account_id),
  foreign key (payment_id, account_id) references payments (id, account_id)
);
create index refunds_of_charge on refunds (charge_id, account_id);
create unique index refunds_once on refunds (charge_id, account_id, idempotency_key) where idempotency_key is not null;

-- What a charge waits for. The sweep takes what is due, oldest first.
create table charge_timers (
  charge_id  uuid not null,
  account_id text not null,
  kind       text not null check (kind in ('overdue', 'expire', 'settle', 'reconcile')),
  at         timestamptz not null,
  primary key (charge_id, account_id, kind),
  foreign key (charge_id, account_id) references charges (id, account_id)
);
create index charge_timers_due on charge_timers (at, charge_id, kind);
create index charge_timers_reconcile on charge_timers (at) where kind = 'reconcile';

-- Charges from before they had a life get its timers and its state.
insert into charge_timers (charge_id, account_id, kind, at)
  select id, account_id, 'overdue', due_at from charges
  union all
  select id, account_id, 'expire', expire_at from charges;
update charges c set state = case
    when exists (select from charge_methods m where m.charge_id = c.id and m.status = 'OVERDUE') then 'OVERDUE'
    when exists (select from charge_methods m where m.charge_id = c.id and m.status in ('ACTIVE', 'REGISTERED')) then 'ACTIVE'
    when exists (select from charge_methods m where m.charge_id = c.id and m.status = 'CREATING') then 'CREATING'
    else 'FAILED' end;
