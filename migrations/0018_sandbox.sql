-- State that only a sandbox writes. Live has these tables too and leaves them as they are.

-- How far business time runs ahead of the machine's, the same for all nodes. While the clock is being moved it stands still at
-- halted_at, so that timers which are due there run at that time. A move expires at halted_until unless its node extends it, so a
-- crashed node does not stop the clock for long.
create table sandbox_clock (
  only_one     boolean primary key default true check (only_one),
  ahead_ms     bigint not null default 0 check (ahead_ms >= 0),
  halted_at    timestamptz,
  halted_until timestamptz,
  -- The move that is under way. The same move may be asked for twice; another one is refused.
  move_id      uuid,
  check ((halted_at is null) = (halted_until is null))
);
insert into sandbox_clock default values;

-- The simulated chains. A real network outlives our processes, so its simulation is stored where all nodes see it.
create table sandbox_chains (
  network       text primary key constraint sandbox_chains_network references networks (network),
  fault         text not null default 'none' check (fault in (
    'none', 'stalled', 'reverting', 'keeps_part', 'foreign_use', 'refusing', 'lagging', 'empty', 'rpc_timeout'
  )),
  -- Blocks that were due by the clock and not made, because the chain was stalled.
  behind_blocks bigint not null default 0 check (behind_blocks >= 0),
  -- The height at which it is stalled.
  stands_at     bigint,
  -- Blocks that a reorganisation replaced.
  forks         jsonb not null default '[]',
  check ((fault = 'stalled') = (stands_at is not null))
);
insert into sandbox_chains (network) values ('ethereum'), ('polygon'), ('base'), ('arbitrum'), ('bsc'), ('tron');

-- One nonce of a sender holds one transaction: the primary key lets at most one through. It is mined when the height of the
-- chain has reached its block.
create table sandbox_chain_transactions (
  network     text not null references sandbox_chains (network),
  sender      text not null,
  nonce       bigint not null check (nonce >= 0),
  hash        text not null,
  -- Null in a transaction that moves nothing.
  destination text,
  symbol      text,
  units       numeric check (units > 0),
  bid         bigint not null,
  block       bigint not null,
  reverts     boolean not null,
  sent_at     timestamptz not null,
  -- What did not arrive of it.
  kept_units  numeric not null default 0,
  primary key (network, sender, nonce)
);
-- Not unique: the bytes behind a hash contain the nonce, so the primary key is enough, and two nodes that send the same bytes at
-- once must conflict at the primary key alone.
create index sandbox_chain_transactions_by_hash on sandbox_chain_transactions (network, hash);

-- What the simulated bank of an agreement remembers, as JSON.
create table sandbox_banks (
  rail  text primary key,
  state text not null
);

-- What it knows of each boleto, as JSON: with all of them in one row, every step would read and write them all.
create table sandbox_bank_titles (
  rail   text not null,
  number text not null,
  -- The id of the charge as the file had it.
  own_id text not null,
  title  text not null,
  primary key (rail, number)
);
create index sandbox_bank_titles_own_id on sandbox_bank_titles (rail, own_id);
