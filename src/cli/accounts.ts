// trilho accounts: opens accounts and lists them.
import { accountExists, listAccounts, openAccount } from '../accounts/store.ts';
import type { Config } from '../config/config.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { isStorable } from '../lib/text.ts';
import { withDatabase } from './database.ts';

const USAGE = 'Usage: trilho accounts create <id>, trilho accounts list';
const MAX_ID_LENGTH = 255;

export async function accountsCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const [verb, id = '', ...rest] = args;
  if (verb === 'list' && args.length === 1) return list(config, log);
  if (verb !== 'create' || rest.length > 0 || !isAccountId(id)) throw new StartError(USAGE);
  const isNew = await withDatabase({ config, log, action: 'trilho accounts create' }, ({ db, clock }) =>
    db.transaction(async tx => {
      setAuditObject(id);
      if (await accountExists(tx, id)) return false;
      await openAccount(tx, id, clock.now());
      return true;
    }),
  );
  console.log(isNew ? `Account ${id} is open.` : `Account ${id} was open before.`);
  return 0;
}

async function list(config: Config, log: Log): Promise<number> {
  const accounts = await withDatabase({ config, log, action: 'trilho accounts list' }, ({ db }) => listAccounts(db));
  for (const { id, createdAt } of accounts) console.log(`${createdAt.toISOString()}  ${id}`);
  return 0;
}

function isAccountId(id: string): boolean {
  return /\S/.test(id) && id.length <= MAX_ID_LENGTH && isStorable(id);
}
