-- Forms of the dashboard that were sent, so that one that is sent twice counts once where its operation takes no idempotency key.
-- Kept for a day.
create table sent_forms (
  -- Made with the form.
  once    uuid primary key,
  sent_at timestamptz not null
);
create index sent_forms_sent_at on sent_forms (sent_at);
