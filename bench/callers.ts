// The callers of a run. In live each caller has an account and an API key, made as `trilho accounts create` and
// `trilho keys create` make them; in the sandbox a caller is an account name without a key.
import { createKey } from '../src/accounts/create-key.ts';
import { SCOPES } from '../src/accounts/scopes.ts';
import { openAccount } from '../src/accounts/store.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLog } from '../src/lib/log.ts';
import type { Mode } from '../src/lib/mode.ts';
import { openDatabase } from '../src/storage/database.ts';
import { withClient } from './database-server.ts';

export type Caller = {
  readonly accountId: string;
  /** The headers of its requests: its key, in live. */
  readonly headers: Readonly<Record<string, string>>;
};

const ACCOUNTS = 8;

/** The accounts that create charges. */
export const CHARGE_ACCOUNTS: readonly string[] = Array.from({ length: ACCOUNTS }, (_, index) => `shop-${index}`);

/**
 * Turns a migrated database into one of `mode` and opens the accounts in it. A copy of the database keeps accounts and keys, so the
 * callers work there too.
 */
export async function createCallers(
  url: string,
  mode: Mode,
  accountIds: readonly string[] = CHARGE_ACCOUNTS,
): Promise<Caller[]> {
  // A kept database may come from a run in the other mode.
  await withClient(url, client => client.query('delete from installation where mode <> $1', [mode]));
  if (mode === 'sandbox') return accountIds.map(accountId => ({ accountId, headers: {} }));
  const db = openDatabase({ connection: { connectionString: url }, log: createLog('warn', process.stderr) });
  const clock = systemClock;
  try {
    await db.transaction(async tx => {
      // The schema may be that of an earlier version.
      await tx.query('insert into installation (mode, created_at) values ($1, $2) on conflict (only_one) do nothing', [
        mode,
        clock.now(),
      ]);
      for (const accountId of accountIds) await openAccount(tx, accountId, clock.now());
    });
    const callers: Caller[] = [];
    for (const accountId of accountIds) {
      const { text } = await createKey({ db, clock }, { accountId, scopes: SCOPES, createdBy: 'operator' });
      callers.push({ accountId, headers: { Authorization: `Bearer ${text}` } });
    }
    return callers;
  } finally {
    await db.close();
  }
}
