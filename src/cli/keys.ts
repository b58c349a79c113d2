// trilho keys: creates, lists and revokes API keys.
import assert from 'node:assert/strict';
import { prefixOf, readKeyId } from '../accounts/api-key.ts';
import { createKey, revokeKey } from '../accounts/create-key.ts';
import { listPeopleOf } from '../accounts/people/store-people.ts';
import { REACHES, reachOf, scopesWithin } from '../accounts/reach.ts';
import { readScopes, SCOPES } from '../accounts/scopes.ts';
import { type ApiKey, listKeys } from '../accounts/store-keys.ts';
import type { Config } from '../config/config.ts';
import { momentOn } from '../lib/civil-days.ts';
import { addDuration, parseDuration, parseUtc } from '../lib/date-times.ts';
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

/** Only the key goes to standard output, so that it can be piped into a secret store unread. */
async function create(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { account, scopes, reach, name, expiresAt } = readNewKey(args);
  if (config.mode === 'sandbox')
    throw new StartError('A sandbox needs no API keys; create them with TRILHO_MODE=live.');
  const key = await withDatabase({ config, log, action: 'trilho keys create' }, deps => {
    const now = deps.clock.now();
    const end = expiresAt?.(now);
    if (expiresAt && !(end && end > now)) {
      throw new StartError('--expires must be later than now, and before the year 10000.');
    }
    return createKey(deps, {
      accountId: account,
      scopes,
      reach,
      createdBy: 'operator',
      ...(name !== undefined && { name }),
      ...(end && { expiresAt: end }),
    });
  });
  const until = key.expiresAt ? ` It expires ${key.expiresAt.toISOString()}.` : '';
  const further = reach === 'all_accounts' ? ' It reaches all accounts where its scopes do.' : '';
  console.error(`Key ${key.id} of ${account}: ${scopes.join(', ')}.${further}${until} It is shown only once:`);
  console.log(key.text);
  return 0;
}

function readNewKey(args: readonly string[]) {
  const { options, faults } = readArguments(args, {
    neededOptions: ['account', 'scopes'],
    options: ['reach', 'name', 'expires'],
  });
  const { account = '', scopes: wanted = '', reach: asked, name, expires } = options;
  const { scopes, unknown } = wanted === '' ? { scopes: [], unknown: [] } : readScopes(wanted);
  if (unknown.length > 0) {
    faults.push(`--scopes has ${unknown.map(quoted).join(', ')}, but there are: ${SCOPES.join(', ')}, and all`);
  }
  const reach = asked === 'account' ? asked : reachOf(scopes);
  if (asked !== undefined && reach !== asked) {
    faults.push(
      `--reach must be ${REACHES.join(' or ')}, and all_accounts needs a scope of the operator, not ${quoted(asked)}`,
    );
  }
  const beyond = scopes.filter(scope => !scopesWithin(reach, scopes).includes(scope));
  if (beyond.length > 0) faults.push(`--scopes has ${beyond.join(', ')}, which concerns all accounts`);
  if (name !== undefined && (name.length > MAX_NAME_LENGTH || !isStorable(name))) {
    faults.push(`--name must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  const expiresAt = expires === undefined ? undefined : readExpiry(expires);
  if (expires !== undefined && !expiresAt) {
    faults.push(`--expires must be a length of time such as P90D or a day such as 2027-03-01, not ${quoted(expires)}`);
  }
  refuseFaults('keys create', faults);
  return { account, scopes, reach, name, expiresAt };
}

/** When a key made at `from` expires: after a duration, or as a day begins in São Paulo. Undefined for other text. */
function readExpiry(text: string): ((createdAt: Date) => Date | undefined) | undefined {
  const duration = parseDuration(text);
  if (duration) return createdAt => addDuration(createdAt, duration);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && parseUtc(`${text}T00:00Z`) !== undefined;
  return isDay ? () => momentOn(text) : undefined;
}

async function list(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { options: ['account'] });
  refuseFaults('keys list', faults);
  const { account } = options;
  const lines = await withDatabase({ config, log, action: 'trilho keys list' }, async ({ db, clock }) => {
    const now = clock.now();
    return (await listKeys(db, account)).map(key => lineOf(key, now));
  });
  for (const line of lines) console.log(line);
  return 0;
}

function lineOf(
  { id, accountId, name, scopes, reach, createdAt, createdBy, lastUsedAt, expiresAt, revokedAt }: ApiKey,
  now: Date,
): string {
  const used = lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used';
  const standing = [
    used,
    ...(expiresAt ? [`${expiresAt <= now ? 'expired' : 'expires'} ${expiresAt.toISOString()}`] : []),
    ...(revokedAt ? [`revoked ${revokedAt.toISOString()}`] : []),
  ];
  // The scopes decide how far a key reaches, unless it was limited to its account.
  const isKept = reach !== reachOf(scopes);
  const isOfCommandLine = createdBy === undefined || createdBy === 'operator';
  return [
    prefixOf(id),
    accountId,
    ...(isKept ? ['its account alone'] : []),
    `made ${createdAt.toISOString()}${isOfCommandLine ? '' : ` by ${createdBy}`}`,
    ...standing,
    scopes.join(','),
    name ?? '',
  ]
    .join('  ')
    .trimEnd();
}

const actorsOf = (ids: readonly string[]) => ids.map(id => `key:${id}`);

async function revoke(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['id'] });
  const id = readKeyId(positionals[0] ?? '');
  // Not repeated: a mistyped key is almost the key.
  if (positionals.length > 0 && id === undefined) faults.push('<id> must be the id, the prefix or the whole of a key');
  refuseFaults('keys revoke', faults);
  assert(id !== undefined, 'an id that cannot be read is a fault');
  const { made, people } = await withDatabase({ config, log, action: 'trilho keys revoke' }, async deps => {
    const ended = await revokeKey(deps, id);
    return { made: ended, people: await listPeopleOf(deps.db, actorsOf([id, ...ended])) };
  });
  const alsoEnded = made.length === 0 ? '' : ` So are the keys that it made: ${made.join(', ')}.`;
  console.log(`Key ${id} is revoked.${alsoEnded}`);
  if (people.length > 0) {
    const ids = people.map(person => person.id).join(', ');
    console.log(`People whom they invited or gave a login link stay until trilho people remove: ${ids}.`);
  }
  return 0;
}
