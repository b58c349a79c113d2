// A live service needs a key: without one every caller would be refused, so such a start is a mistake.
import { StartError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { hasUsableKey } from './store-keys.ts';

export async function requireUsableKey(db: Sql, at: Date): Promise<void> {
  if (await hasUsableKey(db, at)) return;
  throw new StartError(
    'TRILHO_MODE=live needs an API key: trilho accounts create <id>, then trilho keys create --account <id> --scopes all.',
  );
}
