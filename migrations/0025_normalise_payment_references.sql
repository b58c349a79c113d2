-- References are kept in one spelling: NFKC, without characters that cannot be seen, with single spaces. Those of plain ASCII with
-- single spaces are in it already.
create function normal_reference(reference text) returns text language sql as $$
  select coalesce(
    nullif(
      left(
        btrim(regexp_replace(
          normalize(
            regexp_replace(
              normalize(reference, nfkc),
              '[\u0001-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff]',
              '', 'g'),
            nfkc),
          '\s+', ' ', 'g')),
        255),
      ''),
    reference)
$$;

-- Payments that were recorded once for each spelling stay as they are; the later ones get a reference of their own.
update payments p
   set reference = case when spelled.place = 1 then spelled.normal else left(spelled.normal, 200) || ' ' || p.id end
  from (select id, account_id, normal, reference,
               row_number() over (partition by rail, lower(normal collate "C")
                                  order by (reference = normal) desc, recorded_at, id) as place
          from (select id, account_id, rail, recorded_at, reference,
                       case when reference ~ '^[!-~]+( [!-~]+)*$' then reference else normal_reference(reference) end as normal
                  from payments) as each_payment) as spelled
 where spelled.id = p.id and spelled.account_id = p.account_id and (spelled.place > 1 or spelled.reference <> spelled.normal);

-- Of receipts that become equal one takes the spelling; the others wait as they are.
update unmatched_receipts r
   set reference = spelled.normal
  from (select reference, normal, row_number() over (partition by normal order by recorded_at, reference) as place
          from (select reference, recorded_at, normal_reference(reference) as normal
                  from unmatched_receipts
                 where reference !~ '^[!-~]+( [!-~]+)*$') as odd) as spelled
 where spelled.reference = r.reference and spelled.place = 1 and spelled.normal <> r.reference
   and not exists (select from unmatched_receipts other where other.reference = spelled.normal);
update unmatched_receipts
   set duplicate_of = normal_reference(duplicate_of)
 where duplicate_of !~ '^[!-~]+( [!-~]+)*$';

drop function normal_reference(text);
