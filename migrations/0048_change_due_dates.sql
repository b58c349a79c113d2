-- Another due date of a charge that was asked for last, and what became of it: a bank that is told by files answers days later.
alter table charges
  add column asked_due_at      timestamptz,
  add column due_change_status text,
  add column due_change_reason text,
  add constraint charges_due_change_status check (due_change_status in ('PENDING', 'DONE', 'FAILED')) not valid,
  add constraint charges_due_change check ((asked_due_at is null) = (due_change_status is null)) not valid;

-- A due date may be changed more than once. What is there already fits the narrower list, so it is not checked again.
alter table boleto_instructions
  drop constraint boleto_instructions_movement_check,
  add constraint boleto_instructions_movement_check
    check (movement in ('register', 'write_off', 'change_due_day')) not valid;
drop index boleto_instructions_once;
create unique index boleto_instructions_once on boleto_instructions (charge_id, account_id, movement)
  where movement <> 'change_due_day';
