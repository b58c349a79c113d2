-- One index finds an externalId, of an account or of any: an index is written with every charge, and with every step of it.
drop index charges_by_external_id;
drop index charges_external_id;
create unique index charges_external_id on charges (external_id, account_id) where external_id is not null;
