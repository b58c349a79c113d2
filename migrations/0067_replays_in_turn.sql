-- Replays take turns: each goes on with a batch, and then to the end of the line.
alter table webhook_replays add column moved_at timestamptz not null default clock_timestamp();
