// The SQL of slots without a transfer, for their alarm.
import type { Network } from '../../chains/asset.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { UnsignedSlot } from '../watch/judge-network.ts';

/** Each is a separate alarm; once the first is fixed, the next is shown. */
const MAX_SLOTS = 32;

type Slot = Omit<UnsignedSlot, 'lastError'>;

const COLUMNS = `p.id as payout_id, p.order_id as owner_id, p.sender, p.nonce, p.unsigned_reason as reason,
  p.void_requested_at is not null as is_given_up, p.created_at as since`;
const toSlot = recordOf<Slot>(COLUMNS, ['nonce']);

/** Unused slots for which nothing may be signed, or nothing was signed since a time; the first of each sender first. */
export async function readUnsignedSlots(sql: Sql, network: Network, until: Date): Promise<Slot[]> {
  const rows = await sql.query<RowOf<Slot>>(
    `select ${COLUMNS}
       from payouts p
      where p.network = $1 and p.state in ('open', 'done') and p.block_number is null and p.state = 'open'
        and (p.unsigned_reason is not null
             or (p.created_at < $2 and not exists (
                   select from payout_attempts a where a.payout_id = p.id and a.account_id = p.account_id)))
      order by p.nonce, p.sender limit ${MAX_SLOTS}`,
    [network, until],
  );
  return rows.map(toSlot);
}
