// The SQL of limits: how much left within the window, and when there will be room.

import type { SentSymbol } from '../../chains/networks.ts';
import type { Sql } from '../../storage/database.ts';
import type { PayoutRequest } from '../payout.ts';

/** Only payouts to that address, of that account, requested by that key. */
type Spent = Pick<PayoutRequest, 'network'> &
  Partial<Pick<PayoutRequest, 'destination' | 'accountId' | 'requestedBy'>> & {
    readonly symbol: SentSymbol;
    readonly since: Date;
    /** Counts top-ups between our senders instead of payouts with an owner: both are counted separately. */
    readonly isOfTopUps?: boolean;
  };

const COLUMNS = { destination: 'destination', accountId: 'account_id', requestedBy: 'requested_by' } as const;
const FIELDS = ['destination', 'accountId', 'requestedBy'] as const satisfies (keyof typeof COLUMNS)[];

/**
 * A payout that moved nothing for good does not count, nor does a sweep to our cold address. Only the given conditions are in the text,
 * so that the index on exactly these columns is used.
 */
function counted({ network, symbol, since, isOfTopUps = false, ...of }: Spent): {
  readonly where: string;
  readonly params: unknown[];
} {
  const fields = FIELDS.filter(field => of[field] !== undefined);
  const conditions = fields.map((field, index) => ` and ${COLUMNS[field]} = $${index + 4}`);
  return {
    where: `network = $1 and symbol = $2 and created_at > $3 and ${isOfTopUps ? 'is_top_up' : 'order_id is not null'}
            and state not in ('reverted', 'voided')${conditions.join('')}`,
    params: [network, symbol, since, ...fields.map(field => of[field])],
  };
}

/** Smallest units of payouts that took slots after `since`. */
export async function spentUnits(tx: Sql, spent: Spent): Promise<bigint> {
  const { where, params } = counted(spent);
  const [row] = await tx.query<{ units: string }>(
    `select coalesce(sum(units), 0)::text as units from payouts where ${where}`,
    params,
  );
  return BigInt(row!.units);
}

/** When the newest payout was opened that, together with all later ones, exceeds `room`; undefined when all together do not. */
export async function spentBeyond(tx: Sql, spent: Spent, room: bigint): Promise<Date | undefined> {
  const { where, params } = counted(spent);
  const [row] = await tx.query<{ at: Date | null }>(
    `select max(created_at) as at
       from (select created_at, sum(units) over (order by created_at desc) as with_later from payouts where ${where}) spent
      where with_later > $${params.length + 1}`,
    [...params, room],
  );
  return row?.at ?? undefined;
}
