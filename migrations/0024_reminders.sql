-- Reminders: what payers are reminded of and when, by e-mail or by an event, and every reminder with its outcome.

-- What applies to all reminders of an account. An account without a row has the defaults of the service.
create table reminder_settings (
  account_id  text primary key references accounts (id),
  -- Local times in São Paulo, HH:MM. The quiet hours may span midnight; both are null when there are none.
  send_at     text not null check (send_at ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  quiet_from  text check (quiet_from ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  quiet_until text check (quiet_until ~ '^([01]\d|2[0-3]):[0-5]\d$'),
  -- The account's own subjects and first paragraphs, by language and occasion.
  texts       jsonb not null default '{}' check (jsonb_typeof(texts) = 'object'),
  updated_at  timestamptz not null,
  check ((quiet_from is null) = (quiet_until is null)),
  check (quiet_from <> quiet_until)
);

create table reminder_rules (
  id            uuid not null,
  account_id    text not null references accounts (id),
  occasion      text not null check (occasion in ('before', 'on', 'after', 'paid', 'failed')),
  -- Days before or after the due day; 0 on the day itself and for events.
  days          integer not null,
  channels      text[] not null check (cardinality(channels) >= 1 and channels <@ '{email,event}'),
  -- Null: the language of the customer.
  locale        text check (locale in ('pt-BR', 'en')),
  is_enabled    boolean not null,
  -- Charges due up to this day have their reminder, and when the next day is looked at. Null for events, and while it is disabled.
  done_until    date,
  next_at       timestamptz,
  -- The last position of the feed that was looked at. Null for due days, and while it is disabled.
  feed_position bigint,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (id, account_id),
  check (case when occasion in ('before', 'after') then days between 1 and 90 else days = 0 end)
);
create unique index reminder_rules_once on reminder_rules (account_id, occasion, days);
create index reminder_rules_newest on reminder_rules (created_at desc, id desc);
create index reminder_rules_by_account on reminder_rules (account_id, created_at desc, id desc);
create index reminder_rules_due on reminder_rules (next_at, id) where next_at is not null;
create index reminder_rules_of_events on reminder_rules (account_id) where feed_position is not null;

-- One reminder of one charge for one reason, saved before anything is sent. It has no address and no name: these stay with the charge and
-- the customer.
create table reminders (
  id            uuid not null,
  account_id    text not null references accounts (id),
  charge_id     uuid not null,
  occasion      text not null check (occasion in ('before', 'on', 'after', 'paid', 'failed')),
  days          integer not null,
  due_day       date not null,
  -- What it must not be sent twice for: before:3:2026-12-10, on:2026-12-10, paid.
  reason        text not null,
  channels      text[] not null,
  locale        text check (locale in ('pt-BR', 'en')),
  status        text not null
                check (status in ('WAITING', 'SENDING', 'SENT', 'ANNOUNCED', 'SKIPPED', 'FAILED', 'UNKNOWN')),
  -- Why it was skipped or failed.
  cause         text,
  attempts      integer not null default 0,
  -- When it may be sent at the earliest: its moment, or the end of the quiet hours.
  due_at        timestamptz not null,
  -- When the sweep looks at it next; null once it has ended.
  next_at       timestamptz,
  sending_since timestamptz,
  -- Of the address that it was sent to, for the link that ends reminders.
  address_hash  text,
  -- What was asked for on that day.
  amount_cents  bigint,
  event_count   integer not null default 0,
  created_at    timestamptz not null,
  updated_at    timestamptz not null,
  primary key (id, account_id),
  constraint reminders_charge foreign key (charge_id, account_id) references charges (id, account_id)
);
create unique index reminders_once on reminders (charge_id, account_id, reason);
create index reminders_due on reminders (next_at, id) where next_at is not null;
create index reminders_newest on reminders (created_at desc, id desc);
create index reminders_by_status on reminders (status, created_at desc, id desc);
create index reminders_by_account on reminders (account_id, created_at desc, id desc);
create index reminders_by_account_status on reminders (account_id, status, created_at desc, id desc);

-- Addresses that want no reminders of an account, as a hash: the address itself is not stored here.
create table reminder_opt_outs (
  account_id   text not null references accounts (id),
  address_hash text not null check (address_hash ~ '^[0-9a-f]{64}$'),
  created_at   timestamptz not null,
  primary key (account_id, address_hash)
);

-- The charges of an account that wait for money, by their due day.
create index charges_awaited_by_due on charges (account_id, due_at, id) where state in ('CREATING', 'ACTIVE', 'OVERDUE');
