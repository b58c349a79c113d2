// The SQL that finds subscriptions by an id of any kind.
import { finderByAnyId } from '../../storage/find-by-any-id.ts';

/** By the id or the externalId. */
export const findSubscriptionsByAnyId = finderByAnyId('subscription', {
  id: 'select id, account_id from subscriptions where id = $2::uuid',
  'external id': 'select id, account_id from subscriptions where external_id = $1',
});
