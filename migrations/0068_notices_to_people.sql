-- Who made the links that a person came in by, beside who invited them: each of these is one pair of eyes with the person.
alter table people add column let_in_by text[] not null default '{}';

-- Links that were made before are in the audit log; one that was never opened counts as well.
update people p
   set let_in_by = (select array_agg(distinct made.actor)
                      from (select object_id, actor from audit_log where action = 'POST /people/:id/login-link'
                            union all
                            select object_id, actor from audit_inbox where action = 'POST /people/:id/login-link') made
                     where made.object_id = p.id::text and made.actor <> 'person:' || p.id)
 where exists (select from (select object_id, actor from audit_log where action = 'POST /people/:id/login-link'
                            union all
                            select object_id, actor from audit_inbox where action = 'POST /people/:id/login-link') made
                where made.object_id = p.id::text and made.actor <> 'person:' || p.id);

-- The actor, as in the audit log. Null: a node of the former version made the link.
alter table person_links add column made_by text;
update person_links l set made_by = p.invited_by from people p where p.id = l.person_id;

-- What a person is shown of their own access, so that they see what they did not do.
create table person_notices (
  position  bigint generated always as identity primary key,
  person_id uuid not null references people (id),
  at        timestamptz not null,
  what      text not null check (what in ('login_link', 'passkey', 'key', 'role')),
  by_actor  text not null
);
create index person_notices_of on person_notices (person_id, at);

-- Up to when the person has seen their notices in this session.
alter table sessions add column notices_seen_at timestamptz;
