-- What a sender had at a block, noted at each comparison of the books with the chains: what left between two of them must be in the books.
create table sender_balances (
  network      text not null,
  sender       text not null,
  symbol       text not null,
  block_number bigint not null,
  units        numeric not null check (units >= 0),
  primary key (network, sender, symbol, block_number)
);
