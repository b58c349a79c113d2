-- People who log in to the dashboard. Nobody has a password: a person proves who they are by a passkey, a link that counts once,
-- or a recovery code. Of secrets only the SHA-256 is stored; each holds at least 128 random bits.
create table people (
  id         uuid primary key,
  -- Personal data: shown to other people of the service, never logged.
  name       text not null check (length(name) between 1 and 100),
  role       text not null check (role in ('viewer', 'support', 'operator', 'owner')),
  -- The one account that the person works for; null: all of them.
  account_id text references accounts (id),
  created_at timestamptz not null,
  -- The actor, as in the audit log.
  invited_by text not null,
  removed_at timestamptz,
  -- Who made the links by which the person came in, beside who invited them: each of these is one pair of eyes with the person.
  let_in_by  text[] not null default '{}'
);
create index people_in_order on people (created_at, id);

-- A link to the first or a further login. Only the newest of a person counts, once.
create table person_links (
  person_id  uuid primary key references people (id),
  token_hash bytea not null unique check (length(token_hash) = 32),
  expires_at timestamptz not null,
  -- The actor, as in the audit log.
  made_by    text,
  -- Who asked for a link that another owner approved: one pair of eyes with the person, as is who was shown the link.
  asked_by   text
);

-- A login link for another person that a second owner approves before it is made. A person has one at a time.
create table link_requests (
  person_id  uuid primary key references people (id),
  -- The actor, as in the audit log.
  asked_by   text not null,
  asked_at   timestamptz not null,
  expires_at timestamptz not null
);

create table passkeys (
  -- The credential id, base64url.
  id           text primary key check (length(id) between 1 and 1400),
  person_id    uuid not null references people (id),
  public_key   bytea not null,
  -- As the authenticator counts; many always say 0.
  sign_count   bigint not null,
  transports   text[] not null,
  created_at   timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_of on passkeys (person_id, created_at, id);

-- What an authenticator is asked to sign. Deleted as it is used.
create table passkey_challenges (
  challenge_hash bytea primary key check (length(challenge_hash) = 32),
  purpose        text not null check (purpose in ('register', 'login', 'confirm')),
  -- Whose session asked for it; null for a login.
  person_id      uuid references people (id),
  expires_at     timestamptz not null,
  check ((purpose = 'login') = (person_id is null))
);
create index passkey_challenges_by_end on passkey_challenges (expires_at);

create table recovery_codes (
  code_hash bytea primary key check (length(code_hash) = 32),
  person_id uuid not null references people (id),
  used_at   timestamptz
);
create index recovery_codes_of on recovery_codes (person_id);

create table sessions (
  token_hash      bytea primary key check (length(token_hash) = 32),
  person_id       uuid not null references people (id),
  created_at      timestamptz not null,
  -- Written at most once a minute.
  last_used_at    timestamptz not null,
  expires_at      timestamptz not null check (expires_at > created_at),
  -- The last proof of who sits there, and what it was.
  proven_at       timestamptz not null,
  proven_by       text not null check (proven_by in ('passkey', 'link', 'recovery_code')),
  -- Up to when the person has seen their notices in this session.
  notices_seen_at timestamptz
);
create index sessions_of on sessions (person_id);
create index sessions_by_end on sessions (expires_at);

-- What changed in a person's own access, so that they see what they did not do themselves.
create table person_notices (
  position  bigint generated always as identity primary key,
  person_id uuid not null references people (id),
  at        timestamptz not null,
  what      text not null check (what in ('login_link', 'passkey', 'key', 'role')),
  by_actor  text not null
);
create index person_notices_of on person_notices (person_id, at);

-- Forms of the dashboard that were sent, so that one that is sent twice counts once where its operation takes no idempotency key.
-- Kept for a day.
create table sent_forms (
  -- Made with the form.
  once    uuid primary key,
  sent_at timestamptz not null
);
create index sent_forms_sent_at on sent_forms (sent_at);
