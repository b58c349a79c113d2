-- Payouts: crypto on its way from one of our senders. See docs/decisions/0019-orders.md and docs/payouts.md. Actors are written as in the
-- audit log.

-- The next nonce of each sender: read from the chain once, counted here from then on.
create table chain_senders (
  network       text not null,
  sender        text not null,
  next_nonce    bigint not null check (next_nonce >= 0),
  -- Its key was used by somebody else, or the database went back: it takes no slot until an operator lifts this.
  halted_at     timestamptz,
  -- When the queue of orders is looked at again without being woken.
  next_claim_at timestamptz,
  -- Why it was halted and what to do, for an operator.
  halt_words    text,
  -- The most slots that a node counted of a sender since it is halted. A count above that, and above what the books gave out, means that
  -- more has left it: a database that went back to an earlier halt.
  halt_seen     numeric check (halt_seen >= 0),
  primary key (network, sender)
);

-- Senders of which the chain may show more than the books have. While there is such a doubt, no other sender of the network takes
-- an order that was made before it: a database that went back may not know that the order was paid.
create table sender_doubts (
  network text not null,
  sender text not null,
  since timestamptz not null,
  primary key (network, sender)
);

-- One payout owns one nonce of its sender for ever, and every attempt at the payout uses that nonce, so at most one of them can
-- be mined.
create table payouts (
  id                    uuid not null,
  account_id            text not null,
  -- Null: a sweep to the cold address of the network, coin for another sender, or a filled gap.
  order_id              uuid,
  network               text not null,
  sender                text not null,
  nonce                 bigint not null check (nonce >= 0),
  symbol                text not null,
  units                 numeric not null constraint payouts_units_check
    check (units = trunc(units) and case when is_gap_fill then units = 0 else units > 0 end),
  destination           text not null,
  -- open: on its way; done: enough confirmations; final: not watched any more; reverted: its nonce is used and nothing moved;
  -- mismatched: crypto left in another way than was asked; voided: its nonce is used up and nothing moved, as an operator wanted.
  state                 text not null check (state in ('open', 'done', 'final', 'reverted', 'mismatched', 'voided')),
  -- The attempt that the chain shows, and its confirmations.
  hash                  text,
  confirmations         integer not null default 0,
  -- What the chain showed at the last look, and when the next look is due; null when there is no further one.
  last_sighting         text check (last_sighting in ('absent', 'pending', 'stuck', 'taken', 'mined', 'unknown')),
  next_look_at          timestamptz,
  -- Looks in a row that showed nothing new: each makes the next wait longer.
  idle_looks            integer not null default 0,
  created_at            timestamptz not null,
  updated_at            timestamptz not null,
  -- The block in which a lookup saw the transfer: another hash at that height proves that it is part of the chain no more.
  block_number          bigint,
  block_hash            text,
  -- From then on no further transfer is signed for the slot.
  void_requested_at     timestamptz,
  -- What left the sender, where it is not what was asked; and the fee of the network, in its coin, as the ledger has it.
  left_units            numeric check (left_units >= 0),
  fee_units             numeric check (fee_units >= 0),
  -- Who asked for a payout that is for no order.
  swept_by              text,
  -- The chain that it was made for, whatever the settings say later: its id where it has one, the contract of the token, and
  -- whether a test node stood for the network.
  chain_id              bigint,
  token                 text,
  is_test               boolean,
  -- When signed bytes were first handed to a node.
  sent_at               timestamptz,
  -- Since when nodes that answer do not show what made it `done`.
  contradicted_at       timestamptz,
  -- An operator named the transaction to the books after it had been sent. A comparison with the chain does not begin with it: older
  -- transfers may be missing as well.
  adopted_at            timestamptz,
  -- Since when providers that agree count its slot as used and show no attempt at it in a block.
  used_elsewhere_since  timestamptz,
  -- When a lookup first saw its slot taken; and when an operator, who knew of it, let the sender go on.
  taken_at              timestamptz,
  taken_acknowledged_at timestamptz,
  -- It moves nothing: it uses up a slot that the books passed over, so that what comes after it is mined.
  is_gap_fill           boolean not null default false,
  -- Why no transfer may or can be signed for its slot.
  unsigned_reason       text check (unsigned_reason in ('wallet_refused', 'payouts_paused', 'transfer_refused')),
  -- Who asked for the order, for limits of accounts and keys.
  requested_by          text,
  -- Coin that one sender of the service gives to another: see top_ups.
  is_top_up             boolean not null default false,
  primary key (id, account_id),
  foreign key (network, sender) references chain_senders (network, sender),
  foreign key (order_id, account_id) references orders (id, account_id),
  check ((order_id is null) = (swept_by is not null))
);
-- A slot that somebody else used up is void for the payout that had it: after a restore the transfer that did use it may turn up,
-- and belongs to another order.
create unique index payouts_slot on payouts (network, sender, nonce) where state <> 'voided' or hash is not null;
-- An order gets a second payout only after the first one moved nothing for good.
create unique index payouts_one on payouts (order_id, account_id) where state not in ('reverted', 'voided');
-- Before an order gets another payout, those before it are looked up again.
create index payouts_that_moved_nothing on payouts (order_id) where state in ('reverted', 'voided');
-- A command that is repeated because its answer was lost does not sweep or send twice.
create unique index payouts_one_sweep on payouts (network, symbol)
  where order_id is null and state = 'open' and not is_gap_fill and not is_top_up;
create unique index payouts_one_top_up on payouts (network, destination) where is_top_up and state = 'open';
-- Payouts that are still watched, oldest first: /metrics counts them from the index alone.
create index payouts_watched on payouts (created_at) include (network, state) where state in ('open', 'done');
create index payouts_next_look on payouts (next_look_at) where next_look_at is not null;
-- The slots of a sender that no block has used yet.
create index payouts_unmined on payouts (network, sender) include (symbol, units)
  where state in ('open', 'done') and block_number is null;
create index payouts_contradicted on payouts (network, contradicted_at) where contradicted_at is not null;
-- Pages of all payouts, newest first; and of those of a sender, in the order of their slots.
create index payouts_newest on payouts (created_at desc, id desc);
create index payouts_by_slot on payouts (network, sender, nonce, id);
-- What left lately, for limits: of an asset, to one address, of one account, for one key or person, between own senders. A payout that
-- moved nothing counts for no limit.
create index payouts_by_asset on payouts (network, symbol, created_at) include (units)
  where state not in ('reverted', 'voided');
create index payouts_by_destination on payouts (destination, network, symbol, created_at) include (units)
  where state not in ('reverted', 'voided');
create index payouts_by_account on payouts (account_id, network, symbol, created_at) include (units)
  where order_id is not null and state not in ('reverted', 'voided');
create index payouts_by_requester on payouts (requested_by, network, symbol, created_at) include (units)
  where requested_by is not null and order_id is not null and state not in ('reverted', 'voided');
create index payouts_top_ups on payouts (network, symbol, created_at) include (units)
  where is_top_up and state not in ('reverted', 'voided');

-- Signed bytes, saved before they are sent and never changed.
create table payout_attempts (
  payout_id  uuid not null,
  account_id text not null,
  number     integer not null check (number >= 1),
  hash       text not null unique,
  raw        text not null,
  created_at timestamptz not null,
  -- A void moves nothing and uses the slot up.
  kind       text not null default 'transfer' check (kind in ('transfer', 'void')),
  primary key (payout_id, account_id, number),
  foreign key (payout_id, account_id) references payouts (id, account_id)
);

-- Coin that one sender of the service gives to another, so that it can pay fees. A row is made once for a key; it may wait for approvals.
create table top_ups (
  id           uuid primary key,
  -- The caller's own id of the request.
  request_key  text unique check (length(request_key) between 1 and 255),
  network      text not null,
  sender       text not null,
  destination  text not null check (destination <> sender),
  symbol       text not null,
  units        numeric not null check (units > 0 and units = trunc(units)),
  requested_by text not null,
  -- [{ "by": actor, "at": time }], oldest first.
  approvals    jsonb not null default '[]',
  created_at   timestamptz not null,
  -- The payout that sends it.
  payout_id    uuid unique
);
create index top_ups_in_order on top_ups (created_at, id);

-- No order that a row covers takes a slot.
create table payout_pauses (
  id        uuid primary key,
  -- Null: every network, every asset.
  network   text,
  symbol    text,
  reason    text check (length(reason) between 1 and 255),
  paused_at timestamptz not null,
  paused_by text not null
);
create unique index payout_pauses_one on payout_pauses ((coalesce(network, '')), (coalesce(symbol, '')));

-- What operators should look at: raised once, cleared once. `subject` is the asset, the coin or the sender; empty for a network.
create table payout_alarms (
  id         uuid primary key,
  reason     text not null check (reason in (
    'low_funds', 'above_ceiling', 'payout_stuck', 'payout_contradicted', 'finality_lag', 'fee_too_high', 'slot_taken',
    'network_silent', 'orders_waiting', 'nonce_gap', 'slot_unsigned'
  )),
  network    text not null,
  subject    text not null,
  words      text not null,
  raised_at  timestamptz not null,
  cleared_at timestamptz
);
create unique index payout_alarms_open on payout_alarms (network, reason, subject) where cleared_at is null;

-- When the alarms of a network are judged next; the node that moves the time on does it.
create table payout_watches (
  network      text primary key,
  next_at      timestamptz not null,
  -- Since when no node of the network answers; null while one does.
  silent_since timestamptz
);

-- What a sender had at a block, noted at each comparison of the books with the chains: what left between two of them must be in the books.
create table sender_balances (
  network      text not null,
  sender       text not null,
  symbol       text not null,
  block_number bigint not null,
  units        numeric not null check (units >= 0),
  primary key (network, sender, symbol, block_number)
);

-- What an operator has said of a difference between the books and a chain; the newest note on a subject counts.
create table chain_explanations (
  id           uuid primary key,
  network      text not null,
  sender       text not null,
  subject      text not null,
  note         text not null,
  explained_at timestamptz not null
);
create index chain_explanations_by_sender on chain_explanations (network, sender);

-- Keys that receipts of payouts were signed with. Those before the newest stay, so that old receipts can be verified.
create table receipt_keys (
  -- The thumbprint of RFC 7638.
  id          text primary key,
  public_key  bytea not null check (octet_length(public_key) = 32),
  -- PKCS #8; null for a key of payouts.receipts.keyFile.
  private_key bytea,
  created_at  timestamptz not null
);
-- The service makes one key at most.
create unique index receipt_keys_own on receipt_keys ((private_key is not null)) where private_key is not null;
