-- Receipts that wait for a person are few; those that were decided stay for ever. The list and its count read the former alone.
create index unmatched_receipts_open on unmatched_receipts (posted_at desc, reference desc) where decided_at is null;
