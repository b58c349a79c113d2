// trilho keys: makes API keys, lists them and revokes them.
import assert from 'node:assert/strict';
import { prefixOf, readKeyId } from '../accounts/api-key.ts';
import { createKey, revokeKey } from '../accounts/create-key.ts';
import { readScopes, SCOPES } from '../accounts/scopes.ts';
import { type ApiKey, listKeys } from '../accounts/store-keys.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { isStorable } from '../lib/text.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

const MAX_NAME_LENGTH = 255;

const VERBS = { create, list, revoke };

export async function keysCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('keys', args, ['create', 'list', 'revoke']);
  return VERBS[verb](config, log, args.slice(1));
}

/** The key alone goes to standard output, so that it can be put where secrets are kept without being read. */
async function create(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { account, scopes, name } = readNewKey(args);
  if (config.mode === 'sandbox')
    throw new StartError('A sandbox needs no API keys; create them with TRILHO_MODE=live.');
  const key = await withDatabase({ config, log, action: 'trilho keys create' }, deps =>
    createKey(deps, { accountId: account, scopes, ...(name !== undefined && { name }) }),
  );
  console.error(`Key ${key.id} of ${account}: ${scopes.join(', ')}. It is shown this once:`);
  console.log(key.text);
  return 0;
}

function readNewKey(args: readonly string[]) {
  const { options, faults } = readArguments(args, { neededOptions: ['account', 'scopes'], options: ['name'] });
  const { account = '', scopes: wanted = '', name } = options;
  const { scopes, unknown } = wanted === '' ? { scopes: [], unknown: [] } : readScopes(wanted);
  if (unknown.length > 0) {
    faults.push(`--scopes has ${unknown.map(quoted).join(', ')}, but there are: ${SCOPES.join(', ')}, and all`);
  }
  if (name !== undefined && (name.length > MAX_NAME_LENGTH || !isStorable(name))) {
    faults.push(`--name must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  refuseFaults('keys create', faults);
  return { account, scopes, name };
}

async function list(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { options: ['account'] });
  refuseFaults('keys list', faults);
  const { account } = options;
  const keys = await withDatabase({ config, log, action: 'trilho keys list' }, ({ db }) => listKeys(db, account));
  for (const key of keys) console.log(lineOf(key));
  return 0;
}

function lineOf({ id, accountId, name, scopes, createdAt, lastUsedAt, revokedAt }: ApiKey): string {
  const used = lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used';
  const standing = revokedAt ? [used, `revoked ${revokedAt.toISOString()}`] : [used];
  return [prefixOf(id), accountId, `made ${createdAt.toISOString()}`, ...standing, scopes.join(','), name ?? '']
    .join('  ')
    .trimEnd();
}

async function revoke(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { words, faults } = readArguments(args, { words: ['id'] });
  const id = readKeyId(words[0] ?? '');
  // Not repeated: a key with a slip in it is almost the key.
  if (words.length > 0 && id === undefined) faults.push('<id> must be the id, the prefix or the whole of a key');
  refuseFaults('keys revoke', faults);
  assert(id !== undefined, 'an id that cannot be read is a fault');
  await withDatabase({ config, log, action: 'trilho keys revoke' }, deps => revokeKey(deps, id));
  console.log(`Key ${id} is revoked.`);
  return 0;
}
