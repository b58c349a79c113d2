// Creates a wallet: a strictly checked address, stored once per account and network.
import assert from 'node:assert/strict';
import { type AccountPolicy, requireAccount } from '../accounts/require.ts';
import { readPayee } from '../chains/address.ts';
import { type Chains, ownAddressesOf } from '../chains/chain.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { addDuration, type Duration, LAST_MOMENT_MS } from '../lib/date-times.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Database, Sql } from '../storage/database.ts';
import { requireUnblocked } from './gate.ts';
import type { Screening } from './screening.ts';
import { findConflicting, insertWallet } from './store.ts';
import { type Actor, checkWallet, type NewWallet, type Wallet } from './wallet.ts';

export type CreateWalletDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly accounts: AccountPolicy;
  readonly chains: Chains;
  readonly walletWait: Duration;
  readonly log: Log;
  readonly screening: Screening;
};

/** A conflicting wallet may be removed before it is read; this many times in a row means a bug. */
const MAX_ATTEMPTS = 10;

/**
 * Creates a wallet, or returns the account's wallet with the same name and address, even for concurrent requests. Refuses an address that
 * cannot receive, a blocked one, and one that has a wallet with another name.
 */
export async function createWallet(
  deps: CreateWalletDeps,
  input: NewWallet,
  createdBy: Actor,
): Promise<{ wallet: Wallet; replayed: boolean }> {
  const own = ownAddressesOf(deps.chains);
  const { address } = readPayee(input.network, input.address, own);
  if (address === undefined) throw invalidRequest(checkWallet(input, own));
  const createdAt = deps.clock.now();
  const usableAt = addDuration(createdAt, deps.walletWait) ?? new Date(LAST_MOMENT_MS);
  // Some wallets are contracts, such as a Safe, so this is a warning and not a refusal.
  const [isContract] = await Promise.all([
    deps.chains[input.network]?.isContract(address),
    requireUnblocked(deps, { network: input.network, address }, 'screen'),
  ]);
  const id = uuidV7(createdAt);
  const created: Wallet = {
    ...input,
    address,
    id,
    createdAt,
    createdBy,
    usableAt,
    ...(isContract !== undefined && { isContract }),
  };
  const wallet = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.accounts, created.accountId, createdAt);
    const written = await writeUnlessExists(tx, created);
    setAuditObject(written.id);
    return written;
  });
  return { wallet, replayed: wallet.id !== created.id };
}

/** The unique index lets one of many through; the others wait in the insert until that one commits or rolls back. */
async function writeUnlessExists(tx: Sql, wallet: Wallet): Promise<Wallet> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (await insertWallet(tx, wallet)) return wallet;
    const first = await findConflicting(tx, wallet);
    if (!first) continue;
    if (first.name === wallet.name) return first;
    throw new AppError('wallet_exists', 'This address has a wallet with another name.', {
      first: { walletId: first.id },
    });
  }
  assert.fail(`a conflicting wallet was not found in ${MAX_ATTEMPTS} attempts`);
}
