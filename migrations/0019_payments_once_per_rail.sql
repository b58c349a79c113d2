-- A payment counts once on the rail that received it, whichever account reports it, and however the reference is spelled.
alter table payments drop constraint payments_account_id_reference_key;
alter table payments add column rail text;
update payments p
   set rail = m.rail, reference = btrim(p.reference, E' \t\n\r')
  from charge_methods m
 where m.charge_id = p.charge_id and m.account_id = p.account_id and m.method = p.method;
alter table payments alter column rail set not null;

-- Payments that were recorded twice stay as they are; the later ones get a reference of their own.
update payments p
   set reference = left(p.reference, 200) || ' ' || p.id
  from (select id, account_id,
               row_number() over (partition by rail, lower(reference collate "C") order by recorded_at, id) as place
          from payments) as spelled
 where spelled.id = p.id and spelled.account_id = p.account_id and spelled.place > 1;

-- Not by account: accounts may share the key that receives the money. "C" changes ASCII letters alone, as the service does.
create unique index payments_once on payments (rail, lower(reference collate "C"));

create index unmatched_receipts_reference on unmatched_receipts (lower(reference collate "C"));
