// Takes what callers wrote about instalments out of their plans and events, with their payer: it may name the person.
import { eraseFromObjects, eraseWebhookAnswers } from '../../events/erase.ts';
import type { Sql } from '../../storage/database.ts';
import { eraseNotes } from './store.ts';

/** The plans of these charges. They are locked before the charges, as everywhere. */
export async function erasePlans(tx: Sql, chargeIds: readonly string[]): Promise<void> {
  const ids = await eraseNotes(tx, chargeIds);
  for (const id of ids) await eraseFromObjects(tx, id, ['description', 'metadata'], {});
  await eraseWebhookAnswers(tx, ids);
}
