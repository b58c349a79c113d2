-- Payouts that the books were told of after they had been sent, by an operator who named the transaction. A comparison with the chain
-- does not begin with them: older transfers may be missing as well.
alter table payouts add column adopted_at timestamptz;
update payouts set adopted_at = created_at where sent_at < created_at;
