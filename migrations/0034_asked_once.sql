-- Charges are written many at a time, with their methods and timers. A foreign key asks for each of these rows alone, and writes
-- into the row it asks for that it is held; here all rows of a statement are asked for at once. See
-- docs/decisions/0026-asked-once.md.
alter table charges drop constraint charges_account_id_fkey;
alter table charge_methods drop constraint charge_methods_charge_id_account_id_fkey;
alter table charge_timers drop constraint charge_timers_charge_id_account_id_fkey;

create function refuse_without_account() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows n where not exists (select from accounts a where a.id = n.account_id)) then
    raise foreign_key_violation using message = format('a row of %s names an account that is not there', tg_table_name);
  end if;
  return null;
end
$$;
create trigger charges_of_account after insert on charges
  referencing new table as new_rows for each statement execute function refuse_without_account();

create function refuse_without_charge() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows n
              where not exists (select from charges c where c.id = n.charge_id and c.account_id = n.account_id)) then
    raise foreign_key_violation using message = format('a row of %s names a charge that is not there', tg_table_name);
  end if;
  return null;
end
$$;
create trigger charge_methods_of_charge after insert on charge_methods
  referencing new table as new_rows for each statement execute function refuse_without_charge();
create trigger charge_timers_of_charge after insert on charge_timers
  referencing new table as new_rows for each statement execute function refuse_without_charge();

-- The other side of it: what is named is kept. Nothing moves a row from one account or charge to another.
create function refuse_loss_of_account() returns trigger language plpgsql as $$
begin
  if exists (select from old_rows o join charges c on c.account_id = o.id) then
    raise foreign_key_violation using message = 'an account that has charges cannot be removed';
  end if;
  return null;
end
$$;
create trigger accounts_kept after delete on accounts
  referencing old table as old_rows for each statement execute function refuse_loss_of_account();

create function refuse_loss_of_charge() returns trigger language plpgsql as $$
begin
  if exists (select from old_rows o join charge_methods m on m.charge_id = o.id and m.account_id = o.account_id)
     or exists (select from old_rows o join charge_timers t on t.charge_id = o.id and t.account_id = o.account_id) then
    raise foreign_key_violation using message = 'a charge that has methods or timers cannot be removed';
  end if;
  return null;
end
$$;
create trigger charges_kept after delete on charges
  referencing old table as old_rows for each statement execute function refuse_loss_of_charge();

-- Emptied as a foreign key would have it: with what names it.
create function lose_what_names() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'accounts' then truncate charges cascade;
  else truncate charge_methods, charge_timers;
  end if;
  return null;
end
$$;
create trigger accounts_emptied after truncate on accounts for each statement execute function lose_what_names();
create trigger charges_emptied after truncate on charges for each statement execute function lose_what_names();
