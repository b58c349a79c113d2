-- A database that went back is older than the chain: the sender is halted, and what an operator has looked at halts it no more.
alter table chain_senders
  -- Why it was halted and what to do, for an operator.
  add column halt_words text;

alter table payouts
  -- Since when providers that agree count its slot as used and show no attempt at it in a block.
  add column used_elsewhere_since timestamptz,
  -- When a lookup first saw its slot taken; and when an operator, who knew of it, let the sender go on.
  add column taken_at timestamptz,
  add column taken_acknowledged_at timestamptz;
update payouts set taken_at = updated_at where last_sighting = 'taken' and state in ('open', 'done');
-- What was halted and resumed before this version was acknowledged.
update payouts p set taken_acknowledged_at = p.updated_at
  from chain_senders s
 where s.network = p.network and s.sender = p.sender and s.halted_at is null and p.taken_at is not null;
