-- The due date that an instruction asks for. A bank may answer when another one was asked for since.
alter table boleto_instructions add column due_at timestamptz;
update boleto_instructions i
   set due_at = c.asked_due_at
  from charges c
 where i.movement = 'change_due_day' and c.id = i.charge_id and c.account_id = i.account_id
   and not exists (select from boleto_instructions later
                    where later.charge_id = i.charge_id and later.account_id = i.account_id
                      and later.movement = 'change_due_day' and later.id > i.id);
create index boleto_instructions_changes on boleto_instructions (charge_id) where movement = 'change_due_day';
