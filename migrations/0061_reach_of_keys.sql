-- How far a key reaches: its account alone, or all accounts where its scopes of the operator go further.
alter table api_keys
  add column reach text not null default 'account' check (reach in ('account', 'all_accounts'));

-- An owner of one account could make keys of any: what such a person made for another account ends, with all that it made in turn.
with recursive made as (
  select object_id as id, actor from audit_log where action = 'POST /keys'
  union all
  select object_id, actor from audit_inbox where action = 'POST /keys'
), ended as (
  select made.id
    from made
    join api_keys k on k.id = made.id
    join people p on made.actor = 'person:' || p.id
   where p.account_id <> k.account_id
  union
  select made.id from made join ended on made.actor = 'key:' || ended.id
)
update api_keys k set revoked_at = now() from ended where k.id = ended.id and k.revoked_at is null;

-- A key reaches as far as its maker: the command line and people of all accounts reach all, and so do the keys that they made.
-- Who made a key is in the audit log; where its line has gone to the archive, the key keeps to its account and is made anew.
with recursive made as (
  select object_id as id, actor from audit_log where action in ('trilho keys create', 'POST /keys')
  union all
  select object_id, actor from audit_inbox where action in ('trilho keys create', 'POST /keys')
), reaching as (
  select id from made
   where actor = 'operator' or actor in (select 'person:' || p.id from people p where p.account_id is null)
  union
  select made.id from made join reaching on made.actor = 'key:' || reaching.id
)
update api_keys k set reach = 'all_accounts'
  from reaching
 where k.id = reaching.id
   and k.scopes && array[
     'payments:read', 'payments:write', 'transfers:write', 'wallets:approve', 'payouts:read', 'payouts:write', 'payouts:approve',
     'payouts:sweep', 'statements:read', 'statements:write', 'accounts:read', 'accounts:write', 'keys:read', 'keys:write',
     'people:read', 'people:write', 'audit:read', 'metrics:read'
   ];
