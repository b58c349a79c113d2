-- A key may end by itself: from this moment on it is refused like a revoked one.
alter table api_keys add column expires_at timestamptz check (expires_at > created_at);
