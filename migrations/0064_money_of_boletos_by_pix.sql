-- A statement has the pix by which a boleto was paid: it is looked for by amount and day, as every pix.
create index boletos_by_pix_of_amount on payments (amount_cents, paid_at) where is_by_pix;
