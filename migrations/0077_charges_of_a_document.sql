-- All charges of a payer, newest first: the list filtered by CPF or CNPJ, the search box, and what is kept of a person.
create index charges_of_document on charges ((customer ->> 'document'), created_at desc, id desc);
