// A key makes nothing that outlives it: one that expires lets no person in, and gives no person a role.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { lockKey } from './store-keys.ts';

/** Refuses a key that expires or is revoked. Locks the key, so that a revocation comes before or after what it does for a person. */
export async function requireLasting(tx: Sql, by: string): Promise<void> {
  if (!by.startsWith('key:')) return;
  const key = await lockKey(tx, by.slice('key:'.length));
  if (!key || key.revokedAt) throw new AppError('unauthorized', 'The key is revoked.');
  if (!key.expiresAt) return;
  const at = key.expiresAt.toISOString();
  throw new AppError('key_expires', `This key expires at ${at}, and what it does for a person would outlive it.`);
}
