// Erases what callers wrote about the disputes of charges, and their evidence, also from their events.
import { eraseFromObjects, eraseWebhookAnswers } from '../../events/erase.ts';
import type { Sql } from '../../storage/database.ts';
import { eraseTexts } from './store-evidence.ts';

/** The caller holds the locks of the charges. */
export async function eraseDisputes(tx: Sql, chargeIds: readonly string[], at: Date): Promise<void> {
  const ids = await eraseTexts(tx, chargeIds, at);
  for (const id of ids) await eraseFromObjects(tx, id, ['note', 'reason'], {});
  await eraseWebhookAnswers(tx, ids);
}
