// A key must not create access that outlives it: one that expires cannot invite people or change their roles.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { lockKey } from './store-keys.ts';

/** Refuses a key that expires or is revoked. Locks the key, so that a revocation comes before or after the change. */
export async function requireLasting(tx: Sql, by: string): Promise<void> {
  if (!by.startsWith('key:')) return;
  const key = await lockKey(tx, by.slice('key:'.length));
  if (!key || key.revokedAt) throw new AppError('unauthorized', 'The key is revoked.');
  if (!key.expiresAt) return;
  const at = key.expiresAt.toISOString();
  throw new AppError('key_expires', `This key expires at ${at}, and the access of the person would outlive it.`);
}
