// The charges of a customer: those that were made for it by its id and, where the customer is the one of its document, those of its
// account that name this document and no customer, also from before the customer was made.
import type { Sql } from '../../storage/database.ts';

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

/** A number of charges, payments or refunds, and their sum in reais. */
export type CountedSum = { readonly count: number; readonly amountCents: bigint };

export type CustomerSums = {
  /** Can be paid, the overdue ones included; as charged, without fines and interest. */
  readonly open: CountedSum;
  readonly overdue: CountedSum;
  /** What is missing of charges that were paid in part and have no open charge for the rest. */
  readonly missing: CountedSum;
  readonly paid: CountedSum;
  /** Asked for or returned by the bank; not those that failed. */
  readonly refunded: CountedSum;
};

const OPEN = `('CREATING', 'ACTIVE', 'OVERDUE')`;

/** Reads every charge of the customer: exact, in one statement and so in one snapshot. */
export async function readCustomerSums(sql: Sql, customer: OfCustomer): Promise<CustomerSums> {
  const values: unknown[] = [];
  const mine = chargesOf(customer, value => `$${values.push(value)}`);
  const [row] = await sql.query<Record<string, string>>(
    `with ${mine},
          one as (
            select c.state, c.payable_cents, p.paid, p.payments, r.refunded, r.refunds,
                   case when c.state = 'PARTIALLY_PAID' and (rest.state is null or rest.state not in ${OPEN})
                        then c.owed_cents - p.paid + r.refunded - c.rests_cents + c.rests_returned_cents else 0 end as missing
              from mine
              join charges c on c.id = mine.id
              left join charges rest on rest.id = c.remainder_id and rest.account_id = c.account_id
             cross join lateral (
                   select coalesce(sum(amount_cents), 0) as paid, count(*) as payments
                     from payments where charge_id = c.id and account_id = c.account_id) p
             cross join lateral (
                   select coalesce(sum(amount_cents), 0) as refunded, count(*) as refunds
                     from refunds where charge_id = c.id and account_id = c.account_id and status <> 'FAILED') r)
     select count(*) filter (where state in ${OPEN}) as open_count,
            coalesce(sum(payable_cents) filter (where state in ${OPEN}), 0) as open_cents,
            count(*) filter (where state = 'OVERDUE') as overdue_count,
            coalesce(sum(payable_cents) filter (where state = 'OVERDUE'), 0) as overdue_cents,
            count(*) filter (where missing > 0) as missing_count,
            coalesce(sum(missing) filter (where missing > 0), 0) as missing_cents,
            coalesce(sum(payments), 0) as paid_count, coalesce(sum(paid), 0) as paid_cents,
            coalesce(sum(refunds), 0) as refunded_count, coalesce(sum(refunded), 0) as refunded_cents
       from one`,
    values,
  );
  const of = (name: string): CountedSum => ({
    count: Number(row![`${name}_count`]),
    amountCents: BigInt(row![`${name}_cents`]!),
  });
  return {
    open: of('open'),
    overdue: of('overdue'),
    missing: of('missing'),
    paid: of('paid'),
    refunded: of('refunded'),
  };
}
