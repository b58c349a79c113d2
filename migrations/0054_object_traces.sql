-- The trace of the request that made a charge, an order or a payout, for what is done about it later. Written only while traces
-- are recorded.
create table object_traces (
  object_id   uuid primary key,
  traceparent text not null check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$'),
  created_at  timestamptz not null
);
create index object_traces_by_time on object_traces (created_at);
