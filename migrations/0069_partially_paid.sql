-- A charge that was paid in part, and the charge for what is missing. What is there already keeps its state, as it was announced, and
-- fits the wider list, so it is not checked again.
alter table charges
  -- Money has come, and at no time as much as was owed.
  add column is_paid_in_part   boolean not null default false,
  -- The charge that was paid in part, of which this one asks for the rest; and the other way round. No foreign keys: both rows point
  -- at each other.
  add column remainder_of      uuid,
  add column remainder_id      uuid,
  add column remainder_cents   bigint,
  add column is_remainder_paid boolean not null default false,
  add constraint charges_remainder check (
    (remainder_id is null) = (remainder_cents is null) and (remainder_id is not null or not is_remainder_paid)) not valid,
  drop constraint charges_state_check,
  add constraint charges_state_check check (state in (
    'CREATING', 'ACTIVE', 'OVERDUE', 'PARTIALLY_PAID', 'PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'EXPIRED', 'CANCELED',
    'FAILED'
  )) not valid;

-- Whether the checkout of a charge that was paid in part offers to pay the rest.
alter table account_settings add column offers_remainder boolean not null default false;
