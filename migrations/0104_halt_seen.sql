-- The most slots that a node counted of a sender since it is halted. A count above that, and above what the books gave out, means that
-- more has left it: a database that went back to an earlier halt.
alter table chain_senders add column halt_seen numeric check (halt_seen >= 0);
