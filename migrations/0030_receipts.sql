-- Keys that receipts of payouts were signed with. Those before the newest stay, so that old receipts can be verified.
create table receipt_keys (
  -- The thumbprint of RFC 7638.
  id          text primary key,
  public_key  bytea not null check (octet_length(public_key) = 32),
  -- PKCS #8; null for a key of payouts.receipts.keyFile.
  private_key bytea,
  created_at  timestamptz not null
);
-- The service makes one key at most.
create unique index receipt_keys_own on receipt_keys ((private_key is not null)) where private_key is not null;
