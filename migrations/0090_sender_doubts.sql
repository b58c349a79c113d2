-- Senders of which the chain may show more than the books have. While there is such a doubt, no other sender of the network takes
-- an order that was made before it: a database that went back may not know that the order was paid.
create table sender_doubts (
  network text not null,
  sender text not null,
  since timestamptz not null,
  primary key (network, sender)
);
