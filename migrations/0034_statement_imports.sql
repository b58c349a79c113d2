-- Bank statements that were imported, by whom and with what result. The file itself is not kept.
create table statement_imports (
  id          uuid primary key,
  imported_at timestamptz not null,
  -- The actor, as in the audit log.
  imported_by text not null,
  format      text not null check (format in ('ofx', 'csv')),
  -- SHA-256 of the file: the same file again is seen to be the same.
  digest      bytea not null check (length(digest) = 32),
  -- How many of its entries ended in which way.
  counts      jsonb not null,
  -- Lines that could not be read.
  faults      integer not null check (faults >= 0)
);
create index statement_imports_newest on statement_imports (imported_at desc, id desc);
