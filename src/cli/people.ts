// trilho people: invites people to the dashboard, lists them, makes login links, removes people.
import assert from 'node:assert/strict';
import { invitePerson, removePerson } from '../accounts/people/invite.ts';
import { makeLoginLink } from '../accounts/people/login-links.ts';
import { type ListedPerson, listPeople } from '../accounts/people/store-people.ts';
import { ROLES } from '../accounts/roles.ts';
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { isStorable } from '../lib/text.ts';
import { quoted, readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

const MAX_NAME_LENGTH = 100;
const VERBS = { invite, list, login, remove };

export async function peopleCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('people', args, ['invite', 'list', 'login', 'remove']);
  if (config.mode === 'sandbox') throw new StartError('A sandbox needs no login; invite people with TRILHO_MODE=live.');
  return VERBS[verb](config, log, args.slice(1));
}

/** Only the link goes to standard output. */
async function invite(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { neededOptions: ['role', 'name'], options: ['account'] });
  const { role: wanted = '', name = '', account } = options;
  const role = ROLES.find(known => known === wanted);
  if (wanted !== '' && !role) faults.push(`--role must be one of ${ROLES.join(', ')}, not ${quoted(wanted)}`);
  if (name !== '' && (name.length > MAX_NAME_LENGTH || !isStorable(name) || !/\S/.test(name))) {
    faults.push(`--name must have 1 to ${MAX_NAME_LENGTH} characters`);
  }
  refuseFaults('people invite', faults);
  assert(role, 'a role that is not known is a fault');
  const { person, link } = await withDatabase({ config, log, action: 'trilho people invite' }, deps =>
    invitePerson(
      { ...deps, publicUrl: () => publicUrlOf(config) },
      { name, role, ...(account !== undefined && { accountId: account }), invitedBy: 'operator' },
    ),
  );
  console.error(
    `Person ${person.id}, ${role}. The first to open this link is logged in as that person, once, until ${link.expiresAt.toISOString()}:`,
  );
  console.log(link.url);
  return 0;
}

async function list(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { options, faults } = readArguments(args, { options: ['account'] });
  refuseFaults('people list', faults);
  const people = await withDatabase({ config, log, action: 'trilho people list' }, ({ db, clock }) =>
    listPeople(db, clock.now(), options['account']),
  );
  for (const person of people) console.log(lineOf(person));
  return 0;
}

function lineOf({ id, role, accountId, passkeys, lastUsedAt, linkExpiresAt, invitedBy, name }: ListedPerson): string {
  const used = lastUsedAt ? `last seen ${lastUsedAt.toISOString()}` : 'never seen';
  const link = linkExpiresAt ? [`link until ${linkExpiresAt.toISOString()}`] : [];
  const keys = `${passkeys} ${passkeys === 1 ? 'passkey' : 'passkeys'}`;
  return [id, role, accountId ?? 'all accounts', keys, used, ...link, `invited by ${invitedBy}`, name].join('  ');
}

async function login(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const id = readPersonId('people login', args);
  const link = await withDatabase({ config, log, action: 'trilho people login' }, deps =>
    makeLoginLink({ ...deps, publicUrl: () => publicUrlOf(config) }, id),
  );
  console.error(
    `The first to open this link is logged in as person ${id}, once, until ${link.expiresAt.toISOString()}:`,
  );
  console.log(link.url);
  return 0;
}

async function remove(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const id = readPersonId('people remove', args);
  await withDatabase({ config, log, action: 'trilho people remove' }, deps =>
    removePerson({ ...deps, publicUrl: () => publicUrlOf(config) }, id),
  );
  console.log(`Person ${id} is removed.`);
  return 0;
}

function readPersonId(command: string, args: readonly string[]): string {
  const { positionals, faults } = readArguments(args, { positionals: ['id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !isUuid(id)) faults.push('<id> must be the id that trilho people list shows');
  refuseFaults(command, faults);
  return id;
}

/** Passkeys refuse an IP address, so this machine goes by its name. */
function publicUrlOf({ publicUrl, port }: Config): string {
  return publicUrl ?? `http://localhost:${port}`;
}
