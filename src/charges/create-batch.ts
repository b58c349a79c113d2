// Charges that are asked for at the same time are written in one transaction: one commit, and so one wait for the disk,
// serves all of them.
import type { Claim } from '../accounts/once.ts';
import { usableAccounts } from '../accounts/require.ts';
import { releaseKeys, takeKeys } from '../accounts/store-idempotency.ts';
import type { Queue } from '../jobs/queue.ts';
import { type Batcher, batcher } from '../lib/batcher.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { type AuditLine, insertLines } from '../storage/audit.ts';
import type { Database, Sql } from '../storage/database.ts';
import { beginLives } from './begin.ts';
import type { LivingCharge } from './charge.ts';
import { insertCharges } from './store.ts';

/** A charge that is ready to be written, with what makes a repeat of it one. */
export type ReadyCharge = {
  readonly charge: LivingCharge;
  readonly claim: Claim;
  readonly answer: string;
  /** What the audit log is told of whoever asked. */
  readonly line: AuditLine | undefined;
};

type BatchDeps = { readonly db: Database; readonly queue: Queue; readonly mode: Mode; readonly log: Log };

/**
 * True: the charge is written, and committed. False: it was left out, or nobody knows; it must be tried alone, which finds
 * it if it is there after all. Refuses as unavailable when the database cannot be reached; it may be there even then.
 */
export type ChargeBatches = Batcher<ReadyCharge, boolean>;

const MAX_SIZE = 100;
/** Two would hold rows of the same accounts at once, which cost the database more than the wait for the disk. */
const MAX_RUNNING = 1;
const MAX_WAITING = 5_000;
/** Many must not wait for one whose key or externalId somebody else is about to take; that one waits alone. */
const LOCK_WAIT_MS = 200;

export function chargeBatches(deps: BatchDeps): ChargeBatches {
  return batcher(ready => writeTogether(deps, ready), {
    maxSize: MAX_SIZE,
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
  });
}

async function writeTogether(deps: BatchDeps, ready: readonly ReadyCharge[]): Promise<boolean[]> {
  try {
    const written = await deps.db.transaction(tx => writeFree(deps, tx, ready), { lockWaitMs: LOCK_WAIT_MS });
    return ready.map(({ charge }) => written.has(charge.id));
  } catch (error) {
    // Without a database none of them would fare better alone.
    if (error instanceof AppError) throw error;
    deps.log.warn('charges could not be written together, and are tried one by one', { error });
    return ready.map(() => false);
  }
}

/** Writes the charges whose key, account, id and externalId are to be had, and returns their ids. */
async function writeFree(
  { queue, mode }: BatchDeps,
  tx: Sql,
  ready: readonly ReadyCharge[],
): Promise<ReadonlySet<string>> {
  const keys = ready.flatMap(keyOf);
  // Keys come first, alone and together: whoever waits for one holds nothing that others want, as a new account is.
  const taken = keys.length > 0 ? await takeKeys(tx, keys) : new Set<string>();
  const unclaimed = ready.filter(({ charge, claim }) => claim.key === undefined || taken.has(charge.id));
  const accounts = await usableAccounts(
    tx,
    mode,
    unclaimed.map(({ charge }) => ({ id: charge.accountId, at: charge.createdAt })),
  );
  const free = unclaimed.filter(({ charge }) => accounts.has(charge.accountId));
  const written =
    free.length > 0
      ? await insertCharges(
          tx,
          free.map(({ charge, claim, answer }) => ({ charge, hash: claim.hash, answer })),
        )
      : new Set<string>();
  // A key stands for a charge that is there, or for none.
  const idle = keys.filter(({ objectId }) => taken.has(objectId) && !written.has(objectId));
  if (idle.length > 0) await releaseKeys(tx, idle);
  const born = free.filter(({ charge }) => written.has(charge.id));
  if (born.length === 0) return written;
  await beginLives(
    { queue },
    tx,
    born.map(({ charge }) => charge),
  );
  const lines = born.flatMap(({ line }) => line ?? []);
  if (lines.length > 0) await insertLines(tx, lines);
  return written;
}

function keyOf({ charge: { id, accountId, createdAt }, claim: { scope, key, hash } }: ReadyCharge) {
  return key === undefined ? [] : [{ scope, key, contentHash: hash, objectId: id, accountId, at: createdAt }];
}
