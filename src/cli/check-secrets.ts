// What the doctor finds about the secrets in the database: whether a copy of it could sign for the service.

import type { Config } from '../config/config.ts';
import { SECRET_STORES } from '../nouns.ts';
import type { Sql } from '../storage/database.ts';
import { countSeals, findSealing, NO_MASTER_KEY, NOT_RESEALED, PLAIN } from '../storage/sealed-secrets.ts';
import { missingKey, secretBox } from '../storage/secret-box.ts';
import { type Finding, right, warning, wrong } from './finding.ts';

/** Running without a master key is a warning. A key that does not seal everything is an unfinished reseal. */
export async function checkSecrets(sql: Sql, { mode, masterKeys }: Config): Promise<Finding[]> {
  const isSealing = await findSealing(sql);
  if (isSealing === undefined) return [];
  const seals = await countSeals(sql, SECRET_STORES);
  const { keyIds } = secretBox(masterKeys);
  const missing = [...seals.keys()].find(keyId => keyId !== PLAIN && !keyIds.includes(keyId));
  if (missing !== undefined) return [wrong(`secrets: ${missingKey(missing)}`)];
  if (masterKeys.length === 0) return mode === 'live' ? [warning(`secrets: ${NO_MASTER_KEY}`)] : [];
  return [isSealing && !seals.has(PLAIN) ? right('secrets: sealed') : wrong(`secrets: ${NOT_RESEALED}`)];
}
