// The SQL that finds instalment plans by an id of any kind.
import { finderByAnyId } from '../../storage/find-by-any-id.ts';

/** By the id or the externalId. */
export const findPlansByAnyId = finderByAnyId('instalment plan', {
  id: 'select id, account_id from instalment_plans where id = $2::uuid',
  'external id': 'select id, account_id from instalment_plans where external_id = $1',
});
