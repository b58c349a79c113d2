-- Each day of a bank that lists its payments is compared with what is recorded here.
alter table rails
  -- The last day that was compared; the day of the first start counts, because the bank may have had payments before it.
  add column compared_day    date,
  -- A node that compares takes this moment forward, so that no other compares, too.
  add column next_compare_at timestamptz,
  add column compared_at     timestamptz,
  -- How many differences there were on that day.
  add column differences     integer check (differences >= 0);
update rails
   set compared_day = (now() at time zone 'America/Sao_Paulo')::date,
       next_compare_at = ((now() at time zone 'America/Sao_Paulo')::date + 2 + time '03:00') at time zone 'America/Sao_Paulo'
 where next_look_at is not null;

-- Payments of a day. They are inserted nearly in order of time.
create index payments_paid_at on payments using brin (paid_at);
