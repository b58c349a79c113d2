// The SQL of slots without a transfer, for their alarm.
import type { Network } from '../../chains/asset.ts';
import type { Row, Sql } from '../../storage/database.ts';
import type { UnsignedReason } from '../payout.ts';
import type { UnsignedSlot } from '../watch/judge-network.ts';

/** Each is a separate alarm; once the first is fixed, the next is shown. */
const MAX_SLOTS = 32;

/** Unused slots for which nothing may be signed, or nothing was signed since a time; the first of each sender first. */
export async function readUnsignedSlots(
  sql: Sql,
  network: Network,
  until: Date,
): Promise<Omit<UnsignedSlot, 'lastError'>[]> {
  const rows = await sql.query<SlotRow>(
    `select p.id, p.order_id, p.sender, p.nonce, p.unsigned_reason, p.void_requested_at is not null as is_given_up,
            p.created_at
       from payouts p
      where p.network = $1 and p.state in ('open', 'done') and p.block_number is null and p.state = 'open'
        and (p.unsigned_reason is not null
             or (p.created_at < $2 and not exists (
                   select from payout_attempts a where a.payout_id = p.id and a.account_id = p.account_id)))
      order by p.nonce, p.sender limit ${MAX_SLOTS}`,
    [network, until],
  );
  return rows.map(row => ({
    payoutId: row.id,
    sender: row.sender,
    nonce: BigInt(row.nonce),
    isGivenUp: row.is_given_up,
    since: row.created_at,
    ...(row.order_id !== null && { ownerId: row.order_id }),
    ...(row.unsigned_reason !== null && { reason: row.unsigned_reason }),
  }));
}

type SlotRow = Row & {
  id: string;
  order_id: string | null;
  sender: string;
  nonce: string;
  unsigned_reason: UnsignedReason | null;
  is_given_up: boolean;
  created_at: Date;
};
