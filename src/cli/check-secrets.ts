// What the doctor finds about the secrets in the database: whether a copy of it would sign for the service.
import type { Config } from '../config/config.ts';
import { SECRET_STORES } from '../payouts/secret-stores.ts';
import type { Sql } from '../storage/database.ts';
import { countSeals, findSealing, NO_MASTER_KEY, NOT_RESEALED, PLAIN } from '../storage/sealed-secrets.ts';
import { missingKey, secretBox } from '../storage/secret-box.ts';

export type SecretsFinding = { readonly isRight: boolean; readonly words: string };

/** A service may go without a key: that is named, and not wrong. A key that does not seal everything was left half done. */
export async function checkSecrets(sql: Sql, { mode, masterKeys }: Config): Promise<SecretsFinding[]> {
  const isSealing = await findSealing(sql);
  if (isSealing === undefined) return [];
  const seals = await countSeals(sql, SECRET_STORES);
  const { keyIds } = secretBox(masterKeys);
  const missing = [...seals.keys()].find(keyId => keyId !== PLAIN && !keyIds.includes(keyId));
  if (missing !== undefined) return [{ isRight: false, words: `secrets: ${missingKey(missing)}` }];
  if (masterKeys.length === 0) return mode === 'live' ? [{ isRight: true, words: `secrets: ${NO_MASTER_KEY}` }] : [];
  const isRight = isSealing && !seals.has(PLAIN);
  return [{ isRight, words: `secrets: ${isRight ? 'sealed' : NOT_RESEALED}` }];
}
