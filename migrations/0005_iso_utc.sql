-- A moment as the wire writes it: ISO 8601 in UTC, milliseconds, Z.
create function iso_utc(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
