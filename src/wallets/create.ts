// Making a wallet: an address checked as strictly as can be, kept once per account and network.
import assert from 'node:assert/strict';
import { requireAccount } from '../accounts/require.ts';
import { readPayee } from '../chains/address.ts';
import { type Chains, sendersOf } from '../chains/chain.ts';
import { concerns } from '../lib/act.ts';
import type { Clock } from '../lib/clock.ts';
import { addDuration, type Duration, LAST_MOMENT_MS } from '../lib/date-times.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Mode } from '../lib/mode.ts';
import type { Database, Sql } from '../storage/database.ts';
import { findTwin, insertWallet } from './store.ts';
import { checkWallet, type NewWallet, type Wallet } from './wallet.ts';

export type CreateWalletDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly mode: Mode;
  readonly chains: Chains;
  readonly walletWait: Duration;
};

/** A wallet that is in the way may be removed before it is read; so often in a row means that something else is wrong. */
const MAX_TRIES = 10;

/**
 * Makes a wallet, or finds the one that the account has under the same name and address, however many arrive at once.
 * Refuses an address that may not be paid to, and one that has a wallet of another name.
 */
export async function createWallet(
  deps: CreateWalletDeps,
  input: NewWallet,
): Promise<{ wallet: Wallet; replayed: boolean }> {
  const own = sendersOf(deps.chains);
  const { address } = readPayee(input.network, input.address, own);
  if (address === undefined) throw invalidRequest(checkWallet(input, own));
  await deps.clock.refresh();
  const createdAt = deps.clock.now();
  const usableAt = addDuration(createdAt, deps.walletWait) ?? new Date(LAST_MOMENT_MS);
  const made: Wallet = { ...input, address, id: uuidV7(createdAt), createdAt, usableAt };
  const wallet = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.mode, made.accountId, createdAt);
    const written = await writeUnlessThere(tx, made);
    concerns(written.id);
    return written;
  });
  return { wallet, replayed: wallet.id !== made.id };
}

/** The unique index lets one of many through; the others wait in the insert until that one is committed or undone. */
async function writeUnlessThere(tx: Sql, wallet: Wallet): Promise<Wallet> {
  for (let tried = 0; tried < MAX_TRIES; tried++) {
    if (await insertWallet(tx, wallet)) return wallet;
    const first = await findTwin(tx, wallet);
    if (!first) continue;
    if (first.name === wallet.name) return first;
    throw new AppError('wallet_exists', 'This address has a wallet of another name.', {
      first: { walletId: first.id },
    });
  }
  assert.fail('a wallet that was in the way is there');
}
