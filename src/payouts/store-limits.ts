// The SQL of limits: how much left lately, and when less will have.
import type { Sql } from '../storage/database.ts';
import type { PayoutRequest } from './payout.ts';

type Spent = Pick<PayoutRequest, 'network' | 'symbol'> & {
  /** Only what goes there. */
  readonly destination?: string;
  readonly since: Date;
};

/** A payout that moved nothing for good does not count, nor does a sweep to the own cold address. Its own index has what is asked here. */
const COUNTED = `network = $1 and symbol = $2 and ($3::text is null or destination = $3) and created_at > $4
                 and order_id is not null and state not in ('reverted', 'voided')`;

/** Smallest units for which slots were taken after `since`. */
export async function spentUnits(tx: Sql, { network, symbol, destination, since }: Spent): Promise<bigint> {
  const [row] = await tx.query<{ units: string }>(
    `select coalesce(sum(units), 0)::text as units from payouts where ${COUNTED}`,
    [network, symbol, destination, since],
  );
  return BigInt(row!.units);
}

/** When the newest payout was opened that, with all after it, is more than `room`; undefined when all of them are not. */
export async function spentBeyond(
  tx: Sql,
  { network, symbol, destination, since }: Spent,
  room: bigint,
): Promise<Date | undefined> {
  const [row] = await tx.query<{ at: Date | null }>(
    `select max(created_at) as at
       from (select created_at, sum(units) over (order by created_at desc) as with_later from payouts where ${COUNTED}) spent
      where with_later > $5`,
    [network, symbol, destination, since, room],
  );
  return row?.at ?? undefined;
}
