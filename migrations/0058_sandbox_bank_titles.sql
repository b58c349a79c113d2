-- What the simulated bank of an agreement knows of each boleto, as JSON: with all of them in one row, every step read and wrote them all.
create table sandbox_bank_titles (
  rail   text not null,
  number text not null,
  -- The id of the charge as the file had it.
  own_id text not null,
  title  text not null,
  primary key (rail, number)
);
create index sandbox_bank_titles_own_id on sandbox_bank_titles (rail, own_id);

insert into sandbox_bank_titles (rail, number, own_id, title)
select b.rail, t.key, trim(t.value ->> 'ownId'), t.value::text
  from sandbox_banks b, json_each(b.state::json -> 'titles') t;
update sandbox_banks set state = (state::jsonb || '{"titles": {}}')::text;
