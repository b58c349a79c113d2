-- Cursors of the event feed are encrypted, so that the position in them does not tell a caller how many events all accounts have.
-- Cursors of 0.2.0 show the position; they are taken up to the last position that such a cursor can have.
create table event_cursors (
  only_one   boolean primary key default true check (only_one),
  key        bytea not null check (octet_length(key) = 32),
  plain_upto bigint not null check (plain_upto >= 0)
);
insert into event_cursors (key, plain_upto)
select decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), position from event_feed;
