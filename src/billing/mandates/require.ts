// The mandate and the collection that a caller names, when they are ones that the caller may see; `accountId` narrows it to one account's.
import { requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Collection } from './collection.ts';
import { findAndLockMandate, findMandate, type MandateRecord } from './store.ts';
import { findAndLockCollection, findCollection } from './store-collections.ts';

export async function requireMandate(db: Sql, id: string, accountId?: string): Promise<MandateRecord> {
  return requireFound(await findMandate(db, id, accountId), 'mandate');
}

/** Locks its row until the transaction ends. Mandates are locked before their collections, to prevent deadlocks. */
export async function lockMandate(tx: Sql, id: string, accountId?: string): Promise<MandateRecord> {
  return requireFound(await findAndLockMandate(tx, id, accountId), 'mandate');
}

export async function requireCollection(db: Sql, id: string, accountId?: string): Promise<Collection> {
  return requireFound(await findCollection(db, id, accountId), 'collection');
}

export async function lockCollection(tx: Sql, id: string, accountId?: string): Promise<Collection> {
  return requireFound(await findAndLockCollection(tx, id, accountId), 'collection');
}
