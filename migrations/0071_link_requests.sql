-- A login link for another person that a second owner approves before it is made. One stands for a person at a time.
create table link_requests (
  person_id  uuid primary key references people (id),
  -- The actor, as in the audit log.
  asked_by   text not null,
  asked_at   timestamptz not null,
  expires_at timestamptz not null
);

-- Who asked for a link that another owner approved: one pair of eyes with the person, as is who was shown the link.
alter table person_links add column asked_by text;
