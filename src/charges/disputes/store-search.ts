// The SQL that finds disputes by an id of any kind.
import { finderByAnyId } from '../../storage/find-by-any-id.ts';

/** By the id, or by the bank's id of the return. */
export const findDisputesByAnyId = finderByAnyId('dispute', {
  id: 'select id, account_id from disputes where id = $2::uuid',
  return: 'select id, account_id from disputes where return_reference = $1',
});
