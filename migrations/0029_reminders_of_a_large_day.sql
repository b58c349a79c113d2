-- Reminders: a rule keeps its place within a due day that has more charges than a batch of the sweep takes.
alter table reminder_rules
  -- The last charge, by due moment and id, of the day after `done_until` that has its reminder; null at the beginning of that day.
  add column done_due_at timestamptz,
  add column done_charge_id uuid,
  add check ((done_due_at is null) = (done_charge_id is null));
