// Finds the event that a caller names, as JSON text, or refuses; `accountId` restricts it to one account.
import { noSuch } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findEvent } from './store-feed.ts';

export async function requireEvent(db: Sql, id: string, accountId?: string): Promise<string> {
  const json = await findEvent(db, id, accountId);
  if (json === undefined) throw noSuch('event');
  return json;
}
