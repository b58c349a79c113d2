// The SQL that finds mandates by an id of any kind.
import { finderByAnyId } from '../../storage/find-by-any-id.ts';

/** By the id, the externalId, or the id of a collection. */
export const findMandatesByAnyId = finderByAnyId('mandate', {
  id: 'select id, account_id from mandates where id = $2::uuid',
  'external id': 'select id, account_id from mandates where external_id = $1',
  collection: 'select mandate_id as id, account_id from mandate_collections where id = $2::uuid',
});
