-- Subscriptions whose charges are collected by a mandate of the customer (Pix Automático).
alter table plans add column is_automatic boolean not null default false;
alter table subscriptions add column is_automatic boolean not null default false;

-- The collection of its charge, or why the customer pays the charge by its own methods.
alter table subscription_cycles add column collection_id uuid;
alter table subscription_cycles add column fallback_reason text;
alter table subscription_cycles add constraint subscription_cycles_collection
  foreign key (collection_id, account_id) references mandate_collections (id, account_id);
create index mandate_collections_of_charge on mandate_collections (charge_id, created_at desc, id desc);
