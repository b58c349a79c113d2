-- Links to the checkout of a charge. A link bears the id of the charge, an epoch and a MAC under this key, so that it needs no
-- row of its own and a forged one is refused without a query.
create table checkout_links (
  only_one boolean primary key default true check (only_one),
  key      bytea not null check (octet_length(key) = 32)
);
insert into checkout_links (key)
select decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');

-- A link of an earlier epoch is withdrawn.
alter table charges add column link_epoch smallint not null default 0 check (link_epoch between 0 and 255);
