-- The bytes of a file to a bank name payers, and are removed some time after the bank has answered all of it. Its sequence, titles and hash stay.
alter table boleto_files add column bytes_removed_at timestamptz;
create index boleto_files_with_bytes on boleto_files (made_at, rail, sequence) where bytes_removed_at is null;
