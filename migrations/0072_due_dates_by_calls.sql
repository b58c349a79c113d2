-- When a bank with an API was asked for another due date of a charge, and the code under which it works on it. Only of the last change.
alter table charges
  add column due_change_sent_at timestamptz,
  add column due_change_code    text;
