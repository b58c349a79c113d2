// trilho keys: makes API keys, lists them and revokes them.
import { parseArgs } from 'node:util';
import { prefixOf, readKeyId } from '../accounts/api-key.ts';
import { createKey, revokeKey } from '../accounts/create-key.ts';
import { readScopes, SCOPES } from '../accounts/scopes.ts';
import { type ApiKey, listKeys } from '../accounts/store-keys.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { isStorable } from '../lib/text.ts';
import { withDatabase } from './database.ts';

const USAGE = `Usage: trilho keys create --account <id> --scopes <scope,scope,…|all> [--name <words>], \
trilho keys list [--account <id>], trilho keys revoke <id or prefix>`;
const MAX_NAME_LENGTH = 255;

type Options = { account?: string; scopes?: string; name?: string };
type Verb = (config: Config, log: Log, options: Options, words: readonly string[]) => Promise<number>;

const VERBS: Record<string, Verb> = { create, list, revoke };

export async function keysCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const [name = '', ...rest] = args;
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb) throw new StartError(USAGE);
  const { values, positionals } = read(rest);
  return verb(config, log, values, positionals);
}

function read(args: readonly string[]): { values: Options; positionals: string[] } {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { account: text, scopes: text, name: text },
      allowPositionals: true,
    });
  } catch {
    throw new StartError(USAGE);
  }
}

/** The key alone goes to standard output, so that it can be put where secrets are kept without being read. */
async function create(config: Config, log: Log, options: Options, words: readonly string[]): Promise<number> {
  const { account, scopes: wanted, name } = options;
  if (account === undefined || wanted === undefined || words.length > 0) throw new StartError(USAGE);
  const { scopes, unknown } = readScopes(wanted);
  if (unknown.length > 0) {
    throw new StartError(
      `Not a scope: ${unknown.map(word => JSON.stringify(word)).join(', ')}. There are: ${SCOPES.join(', ')}, and all.`,
    );
  }
  if (name !== undefined && (name === '' || name.length > MAX_NAME_LENGTH || !isStorable(name))) {
    throw new StartError(`A name has 1 to ${MAX_NAME_LENGTH} characters.`);
  }
  if (config.mode === 'sandbox')
    throw new StartError('A sandbox needs no API keys; create them with TRILHO_MODE=live.');
  const key = await withDatabase({ config, log, action: 'trilho keys create' }, deps =>
    createKey(deps, { accountId: account, scopes, ...(name !== undefined && { name }) }),
  );
  console.error(`Key ${key.id} of ${account}: ${scopes.join(', ')}. It is shown this once:`);
  console.log(key.text);
  return 0;
}

async function list(config: Config, log: Log, { account }: Options, words: readonly string[]): Promise<number> {
  if (words.length > 0) throw new StartError(USAGE);
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

async function revoke(config: Config, log: Log, _options: Options, words: readonly string[]): Promise<number> {
  const [meant = ''] = words;
  const id = readKeyId(meant);
  if (id === undefined || words.length !== 1) throw new StartError(USAGE);
  await withDatabase({ config, log, action: 'trilho keys revoke' }, deps => revokeKey(deps, id));
  console.log(`Key ${id} is revoked.`);
  return 0;
}
