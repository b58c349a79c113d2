-- Who reported a payment, as the audit log writes it: by hand, or by importing the file in which it stands. They do not approve the
-- order that it pays. Null where a bank told of it.
alter table payments add column reported_by text;

-- Of orders whose crypto has not left: those that were reported by hand are in the audit log.
update payments p
   set reported_by = lines.actor
  from (select distinct on (paid.id) paid.id, paid.account_id, made.actor
          from orders o
          join payments paid on paid.charge_id = o.charge_id and paid.account_id = o.account_id and paid.source = 'operator'
          join (select object_id, actor, at from audit_log where action = 'POST /charges/:id/payments'
                union all
                select object_id, actor, at from audit_inbox where action = 'POST /charges/:id/payments') as made
            on made.object_id = paid.charge_id::text
         where o.status in ('pending_payment', 'pending_fulfillment', 'fulfillment_scheduled')
         order by paid.id, abs(extract(epoch from made.at - paid.recorded_at))) as lines
 where lines.id = p.id and lines.account_id = p.account_id;
