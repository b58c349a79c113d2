-- Whether a node found code at the address when the wallet was created; null when none answered.
alter table wallets add column is_contract boolean;
