// What is owed and was paid, summed over charges: of a customer, of an instalment plan.
import type { Sql } from '../../storage/database.ts';

/** A number of charges, payments or refunds, and their sum in reais. */
export type CountedSum = { readonly count: number; readonly amountCents: bigint };

export type ChargeSums = {
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

/** A common table with the `id` of each charge, whose name is `mine`. */
type Mine = (parameter: (value: unknown) => string) => string;

/** Reads every charge of the table: exact, in one statement and so in one snapshot. */
export async function readChargeSums(sql: Sql, mine: Mine): Promise<ChargeSums> {
  const values: unknown[] = [];
  const [row] = await sql.query<Record<string, string>>(
    `with recursive ${mine(value => `$${values.push(value)}`)},
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
