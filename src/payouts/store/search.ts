// The SQL that finds payouts of the service itself by an id of any kind. One that has an owner is found with its owner.
import { finderByAnyId } from '../../storage/find-by-any-id.ts';

export const findOwnPayoutsByAnyId = finderByAnyId('payout', {
  id: 'select id, account_id from payouts where id = $2::uuid and order_id is null',
  hash: `select p.id, p.account_id
           from payout_attempts a join payouts p on p.id = a.payout_id and p.account_id = a.account_id
          where a.hash in ($1, lower($1)) and p.order_id is null`,
});
