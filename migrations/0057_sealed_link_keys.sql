-- Whether new secrets are sealed with the master key: since a first start with one, or since trilho secrets reseal. Until then they can
-- be read by every node, also by one that was not given the key yet.
alter table installation add column seals_secrets boolean not null default false;
-- What is sealed has at least 65 bytes.
update installation
   set seals_secrets = exists (select from webhooks where octet_length(secret) >= 65)
                    or exists (select from receipt_keys where octet_length(private_key) >= 65);

-- The key of links to checkouts may be sealed, too.
alter table checkout_links
  drop constraint checkout_links_key_check,
  add constraint checkout_links_key_check check (octet_length(key) = 32 or octet_length(key) >= 65);
