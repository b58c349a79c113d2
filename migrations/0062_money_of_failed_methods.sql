-- Money may come for a method that had failed here. What is there already fits the narrower list, so it is not checked again.
alter table payments
  drop constraint payments_came_after_check,
  add constraint payments_came_after_check
    check (came_after in ('EXPIRED', 'CANCELED', 'PAID_BY_OTHER_METHOD', 'FAILED')) not valid;

-- A file that was offered again may have reached its bank twice, which refuses what it has already.
alter table boleto_files add column offered_again_at timestamptz;
