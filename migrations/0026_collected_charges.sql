-- Collections: charges know that they are collected, payments under a further reference are held against the amount that was asked under
-- it, and refusals of a PSP to cancel are kept.
alter table charges add column is_collected boolean not null default false;
update charges c set is_collected = true
 where exists (select from mandate_collections k where k.charge_id = c.id and k.account_id = c.account_id);

alter table charge_references add column amount_cents bigint check (amount_cents >= 1);
update charge_references r set amount_cents = k.amount_cents
  from mandate_collections k where r.reference = replace(k.id::text, '-', '');
alter table charge_references alter column amount_cents set not null;

alter table mandates add column cancel_refusal text;
alter table mandate_collections add column cancel_refusal text;
create index mandates_cancel_refused on mandates (account_id, cancel_asked_at) where cancel_refusal is not null;
create index mandate_collections_cancel_refused on mandate_collections (account_id, cancel_asked_at) where cancel_refusal is not null;
