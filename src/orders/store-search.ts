// The SQL that finds an order by an id of any kind: its own, the caller's, that of its payout, or the hash of its transfer.
import { finderByAnyId } from '../storage/find-by-any-id.ts';

export const findOrdersByAnyId = finderByAnyId('order', {
  id: 'select id, account_id from orders where id = $2::uuid',
  'external id': 'select id, account_id from orders where external_id = $1',
  payout: 'select order_id as id, account_id from payouts where id = $2::uuid and order_id is not null',
  hash: `select p.order_id as id, p.account_id
           from payout_attempts a join payouts p on p.id = a.payout_id and p.account_id = a.account_id
          where a.hash in ($1, lower($1)) and p.order_id is not null`,
});
