-- Money that a bank told of and that fitted no charge was called `efi:main E…`. It has the bank's own id now, as it has in every other
-- report, so that it is the same payment in all of them. A payment that was counted under both names keeps them: trilho reconcile
-- tells of it.
create temporary table named_by_rail on commit drop as
  select u.reference as named, substr(u.reference, length(r.name) + 2) as id, u.decided_at
    from unmatched_receipts u
    join (select distinct name from rails) r on starts_with(u.reference, r.name || ' ');
update unmatched_receipts u
   set decided_at = n.decided_at
  from named_by_rail n
 where u.reference = n.id and u.decided_at is null and n.decided_at is not null;
delete from unmatched_receipts u
 using (select named, id, row_number() over (partition by id order by decided_at, named) as place from named_by_rail) n
 where u.reference = n.named
   and (n.place > 1 or exists (select from unmatched_receipts other where other.reference = n.id));
update unmatched_receipts u set reference = n.id from named_by_rail n where u.reference = n.named;
update unmatched_receipts u
   set duplicate_of = substr(u.duplicate_of, length(r.name) + 2)
  from (select distinct name from rails) r
 where starts_with(u.duplicate_of, r.name || ' ');
update payments p
   set reference = substr(p.reference, length(r.name) + 2)
  from (select distinct name from rails) r
 where starts_with(p.reference, r.name || ' ')
   and not exists (select from payments other
                    where other.rail = p.rail
                      and lower(other.reference collate "C") = lower(substr(p.reference, length(r.name) + 2) collate "C"));

-- What the bank has sent back of it: no charge can be paid with that.
alter table unmatched_receipts add column returned_cents bigint not null default 0 check (returned_cents >= 0);
