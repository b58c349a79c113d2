-- Money that a bank told of and that fitted no charge was called `efi:main E…`. It has the bank's own id now, as it has in every other
-- report, so that it is the same payment whoever records it.
update payments p
   set reference = substr(p.reference, length(p.rail) + 2)
 where starts_with(p.reference, p.rail || ' ')
   and not exists (select from payments other
                    where other.rail = p.rail
                      and lower(other.reference collate "C") = lower(substr(p.reference, length(p.rail) + 2) collate "C"));
update unmatched_receipts u
   set reference = substr(u.reference, length(r.name) + 2)
  from rails r
 where starts_with(u.reference, r.name || ' ')
   and not exists (select from unmatched_receipts other where other.reference = substr(u.reference, length(r.name) + 2));

-- What the bank has sent back of it: no charge can be paid with that.
alter table unmatched_receipts add column returned_cents bigint not null default 0 check (returned_cents >= 0);
