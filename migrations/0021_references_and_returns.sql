-- The reference by which a rail knows a method (the txid of a pix, the nosso número of a boleto) stands apart from what the payer
-- pays with: a bank's own code comes later, or never.
alter table charge_methods add column reference text;
update charge_methods
   set reference = coalesce(instrument ->> 'txid', instrument ->> 'ourNumber'),
       instrument = instrument - 'txid' - 'ourNumber'
 where instrument is not null;
drop index charge_methods_txid;
create index charge_methods_reference on charge_methods (reference);
alter table charge_methods
  drop constraint charge_methods_check,
  add constraint charge_methods_reference_known check (status = 'FAILED' or reference is not null);

-- What a bank tells of a payment beside its amount.
alter table payments
  add column fee_cents bigint check (fee_cents >= 0),
  add column credit_day date;

-- A bank may take money back that nobody here asked for. It has no request, and so no key and no content.
alter table refunds
  add column kind text not null default 'refund' check (kind in ('refund', 'return')),
  add column reference text,
  alter column content_hash drop not null,
  add check (kind = 'return' or content_hash is not null),
  add check (kind = 'refund' or reference is not null);
create unique index refunds_returned_once on refunds (payment_id, reference) where kind = 'return';
