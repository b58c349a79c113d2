// trilho accounts: opens accounts, lists them, and sets what payers see of them.
import { openNamedAccount } from '../accounts/open-account.ts';
import { listAccounts } from '../accounts/store.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { isPlainId, isStorable } from '../lib/text.ts';
import { accountSettings } from './account-settings.ts';
import { readArguments, readVerb, refuseFaults } from './arguments.ts';
import { withDatabase } from './database.ts';

const MAX_ID_LENGTH = 255;

export async function accountsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const verb = readVerb('accounts', args, ['create', 'list', 'settings']);
  const rest = args.slice(1);
  if (verb === 'settings') return accountSettings(config, log, rest);
  return verb === 'create' ? create(config, log, rest) : list(config, log, rest);
}

async function create(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { positionals, faults } = readArguments(args, { positionals: ['id'] });
  const [id = ''] = positionals;
  if (positionals.length > 0 && !isAccountId(id)) {
    faults.push(
      `<id> must be a text of 1 to ${MAX_ID_LENGTH} characters, without blanks at its ends and in Unicode form NFC`,
    );
  }
  refuseFaults('accounts create', faults);
  const { isNew } = await withDatabase({ config, log, action: 'trilho accounts create' }, deps =>
    openNamedAccount(deps, id),
  );
  console.log(isNew ? `Account ${id} is open.` : `Account ${id} was open before.`);
  return 0;
}

async function list(config: Config, log: Log, args: readonly string[]): Promise<number> {
  refuseFaults('accounts list', readArguments(args, {}).faults);
  const accounts = await withDatabase({ config, log, action: 'trilho accounts list' }, ({ db }) => listAccounts(db));
  for (const { id, createdAt } of accounts) console.log(`${createdAt.toISOString()}  ${id}`);
  return 0;
}

function isAccountId(id: string): boolean {
  return /\S/.test(id) && id.length <= MAX_ID_LENGTH && isStorable(id) && isPlainId(id);
}
