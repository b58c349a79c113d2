-- Sums that a page shows, so that it reads no row for them: balances of the ledger, and how many instructions to banks there are. A
-- trigger records what a statement changed; a moment later it is merged into the sums. Writers never update a shared row, so they do
-- not wait for each other, and in any snapshot a change is in one of the two tables.
lock table ledger_lines, boleto_instructions in share row exclusive mode;

create table ledger_balances (
  account_id text    not null,
  book       text    not null,
  currency   text    not null,
  amount     numeric not null,
  primary key (account_id, book, currency)
);
insert into ledger_balances
  select account_id, book, currency, sum(amount) from ledger_lines group by account_id, book, currency;

create table ledger_balance_changes (
  account_id text    not null,
  book       text    not null,
  currency   text    not null,
  amount     numeric not null
);

create function record_balance_changes() returns trigger language plpgsql as $$
begin
  insert into ledger_balance_changes (account_id, book, currency, amount)
  select account_id, book, currency, sum(amount) from posted_lines group by account_id, book, currency;
  return null;
end
$$;
create trigger ledger_lines_summed after insert on ledger_lines
  referencing new table as posted_lines for each statement execute function record_balance_changes();

create function boleto_instruction_status(sequence integer, dropped_at timestamptz) returns text
  language sql immutable parallel safe
  return case when sequence is not null then 'in_file' when dropped_at is not null then 'dropped' else 'waiting' end;

create index boleto_instructions_newest on boleto_instructions (rail, id desc);
create index boleto_instructions_by_status on boleto_instructions (boleto_instruction_status(sequence, dropped_at), id desc);
create index boleto_instructions_by_rail_status
  on boleto_instructions (rail, boleto_instruction_status(sequence, dropped_at), id desc);

create table boleto_instruction_counts (
  rail         text   not null,
  status       text   not null,
  instructions bigint not null,
  primary key (rail, status)
);
insert into boleto_instruction_counts
  select rail, boleto_instruction_status(sequence, dropped_at), count(*) from boleto_instructions group by 1, 2;

create table boleto_instruction_changes (
  rail         text   not null,
  status       text   not null,
  instructions bigint not null
);

create function record_instruction_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into boleto_instruction_changes
    select rail, boleto_instruction_status(sequence, dropped_at), count(*) from new_rows group by 1, 2;
  elsif tg_op = 'DELETE' then
    insert into boleto_instruction_changes
    select rail, boleto_instruction_status(sequence, dropped_at), -count(*) from old_rows group by 1, 2;
  else
    insert into boleto_instruction_changes
    select rail, status, sum(change)
      from (select rail, boleto_instruction_status(sequence, dropped_at) as status, 1 as change from new_rows
             union all
            select rail, boleto_instruction_status(sequence, dropped_at), -1 from old_rows) changed
     group by rail, status
    having sum(change) <> 0;
  end if;
  return null;
end
$$;
create trigger boleto_instructions_inserted after insert on boleto_instructions
  referencing new table as new_rows for each statement execute function record_instruction_changes();
create trigger boleto_instructions_updated after update on boleto_instructions
  referencing new table as new_rows old table as old_rows for each statement execute function record_instruction_changes();
create trigger boleto_instructions_deleted after delete on boleto_instructions
  referencing old table as old_rows for each statement execute function record_instruction_changes();

-- Moves up to so many changes of each kind into the sums, and returns how many it moved. Rows in a fixed order, so that two nodes that
-- merge at once do not deadlock.
create function merge_kept_sums(batch_size integer) returns integer language plpgsql as $$
declare
  balances integer;
  counts integer;
begin
  with taken as (
    delete from ledger_balance_changes
     where ctid = any (array(select ctid from ledger_balance_changes limit batch_size for update skip locked))
    returning *),
  summed as (
    insert into ledger_balances as b (account_id, book, currency, amount)
    select account_id, book, currency, sum(amount) from taken group by 1, 2, 3 order by 1, 2, 3
    on conflict (account_id, book, currency) do update set amount = b.amount + excluded.amount)
  select count(*) into balances from taken;
  with taken as (
    delete from boleto_instruction_changes
     where ctid = any (array(select ctid from boleto_instruction_changes limit batch_size for update skip locked))
    returning *),
  summed as (
    insert into boleto_instruction_counts as c (rail, status, instructions)
    select rail, status, sum(instructions) from taken group by 1, 2 order by 1, 2
    on conflict (rail, status) do update set instructions = c.instructions + excluded.instructions)
  select count(*) into counts from taken;
  return greatest(balances, counts);
end
$$;
