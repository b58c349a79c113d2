-- Who made a key, as the audit log writes it. Two keys of one maker are one pair of eyes, and a key ends with the key that made it.
-- Null where no audit line is left, and of keys that a node of the former version makes: such a key counts as made at the command line.
alter table api_keys add column created_by text;

update api_keys k
   set created_by = lines.actor
  from (select object_id, action, actor from audit_log
        union all
        select object_id, action, actor from audit_inbox) as lines
 where lines.object_id = k.id and lines.action in ('POST /keys', 'trilho keys create');

create index api_keys_by_maker on api_keys (created_by) where created_by like 'key:%';
