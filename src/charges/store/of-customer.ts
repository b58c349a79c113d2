// The charges of a customer: those that were made for it by its id and, where the customer is the one of its document, those of its
// account that name this document and no customer, also from before the customer was made.

/** Whose charges are meant. Without a document only those made by its id. */
export type OfCustomer = { readonly accountId: string; readonly customerId: string; readonly document?: string };

/** A common table, `mine`, with the id of each; each half has an index. It takes three parameters. */
export function chargesOf(
  { accountId, customerId, document }: OfCustomer,
  parameter: (value: unknown) => string,
): string {
  const account = parameter(accountId);
  return `mine as materialized (
    select id from charges where customer_id = ${parameter(customerId)} and account_id = ${account}
    union all
    select id from charges where customer ->> 'document' = ${parameter(document ?? null)} and account_id = ${account} and customer_id is null)`;
}
