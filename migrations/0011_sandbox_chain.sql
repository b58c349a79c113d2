-- What the chains of a sandbox remember. It stands for networks that outlive every process of ours, so it is kept where all
-- nodes see it. Live has these tables too and never writes to them.
create table sandbox_chains (
  network       text primary key check (network in ('ethereum', 'polygon', 'base', 'arbitrum', 'bsc', 'tron')),
  weather       text not null default 'clear' check (weather in ('clear', 'stalled', 'failing', 'silent')),
  -- Blocks that the clock counted and no one made, because the chain stood still.
  behind_blocks bigint not null default 0 check (behind_blocks >= 0),
  -- The height at which it stands still.
  stands_at     bigint,
  check ((weather = 'stalled') = (stands_at is not null))
);
insert into sandbox_chains (network) values ('ethereum'), ('polygon'), ('base'), ('arbitrum'), ('bsc'), ('tron');

-- One slot holds one transaction: the key is what lets at most one through. Whether it is mined is told by its block and
-- the height of the chain.
create table sandbox_chain_transactions (
  network     text not null references sandbox_chains (network),
  sender      text not null,
  nonce       bigint not null check (nonce >= 0),
  hash        text not null,
  destination text not null,
  symbol      text not null,
  units       numeric not null check (units > 0),
  bid         bigint not null,
  block       bigint not null,
  reverts     boolean not null,
  sent_at     timestamptz not null,
  primary key (network, sender, nonce)
);
-- Not unique: a hash holds its slot, so the key says it already, and two nodes that send the same bytes at once must meet
-- at the key alone.
create index sandbox_chain_transactions_by_hash on sandbox_chain_transactions (network, hash);
