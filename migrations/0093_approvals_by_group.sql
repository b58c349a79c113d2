-- All approvals that were given, oldest first: [{ "by": actor, "at": time }]. Groups may ask for several. `approved_at` is when they were
-- complete.
alter table orders add column approvals jsonb;
update orders set approvals = jsonb_build_array(jsonb_build_object('by', approved_by, 'at', approved_at))
 where approved_by is not null;

alter table wallets add column approvals jsonb;
update wallets set approvals = jsonb_build_array(jsonb_build_object('by', approved_by, 'at', approved_at))
 where approved_by is not null;
