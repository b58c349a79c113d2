// Charges that are asked for at the same time are written in one transaction: one commit, and so one wait for the disk,
// serves all of them.
import type { Claim } from '../accounts/once.ts';
import { usableAccounts } from '../accounts/require.ts';
import { takeKeys } from '../accounts/store-idempotency.ts';
import type { Queue } from '../jobs/queue.ts';
import { type Batcher, batcher } from '../lib/batcher.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { type AuditLine, insertLines } from '../storage/audit.ts';
import { type Database, isAborted, type Sql } from '../storage/database.ts';
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
/** Two at once took no more: each is slowed by the other. See docs/decisions/0025-batched-writes.md. */
const MAX_RUNNING = 1;
const MAX_WAITING = 5_000;
/** Many must not wait for one that somebody else holds or is about to take; that one waits alone. */
export const LOCK_WAIT_MS = 200;

export function chargeBatches(deps: BatchDeps): ChargeBatches {
  return batcher(ready => writeTogether(deps, ready), {
    maxSize: MAX_SIZE,
    maxRunning: MAX_RUNNING,
    maxWaiting: MAX_WAITING,
  });
}

async function writeTogether(deps: BatchDeps, ready: readonly ReadyCharge[]): Promise<boolean[]> {
  try {
    const written = new Set(await writeFree(deps, ready));
    return ready.map(one => written.has(one));
  } catch (error) {
    // Without a database none of them would fare better alone.
    if (error instanceof AppError) throw error;
    deps.log.warn('charges could not be written together, and are tried one by one', { error });
    return ready.map(() => false);
  }
}

/** Writes the charges whose key, account, id and externalId are to be had, and returns those. */
async function writeFree(deps: BatchDeps, ready: readonly ReadyCharge[]): Promise<readonly ReadyCharge[]> {
  try {
    await deps.db.transaction(tx => writeAll(deps, tx, ready), { lockWaitMs: LOCK_WAIT_MS });
    return ready;
  } catch (error) {
    if (!(error instanceof NotAllFree)) throw error;
    // Repeats are rare: it is worth writing as if there were none.
    return error.free.length > 0 ? writeFree(deps, error.free) : [];
  }
}

/** Not all can be written; the transaction goes, and with it what was written for the others. */
class NotAllFree extends Error {
  readonly free: readonly ReadyCharge[];
  constructor(free: readonly ReadyCharge[]) {
    super('some of the charges are there already');
    this.free = free;
  }
}

/**
 * Writes all of them or none, sent at once and not one after the other. Keys come first, here and alone: whoever waits for one
 * holds nothing that others want, as a new account is.
 */
async function writeAll({ queue, mode }: BatchDeps, tx: Sql, ready: readonly ReadyCharge[]): Promise<void> {
  const charges = ready.map(({ charge }) => charge);
  const keys = ready.flatMap(keyOf);
  const lines = ready.flatMap(({ line }) => line ?? []);
  const openings = charges.map(charge => ({ id: charge.accountId, at: charge.createdAt }));
  const rows = ready.map(({ charge, claim, answer }) => ({ charge, hash: claim.hash, answer }));
  const [taken, accounts, written, ...rest] = await Promise.allSettled([
    keys.length > 0 ? takeKeys(tx, keys) : NONE,
    usableAccounts(tx, mode, openings),
    insertCharges(tx, rows),
    beginLives({ queue }, tx, charges),
    lines.length > 0 ? insertLines(tx, lines) : undefined,
  ]);
  const free = ready.filter(
    ({ charge, claim }) =>
      (claim.key === undefined || isIn(taken, charge.id)) &&
      isIn(accounts, charge.accountId) &&
      (written.status === 'rejected' || isIn(written, charge.id)),
  );
  // One that is not free makes the rest of the transaction fail, too; so this is asked first.
  if (free.length < ready.length && taken.status === 'fulfilled' && accounts.status === 'fulfilled') {
    throw new NotAllFree(free);
  }
  const faults = [taken, accounts, written, ...rest].flatMap(result =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  // Whatever comes after the first fault fails for that reason.
  if (faults.length > 0) throw faults.find(fault => !isAborted(fault)) ?? faults[0];
}

const NONE: ReadonlySet<string> = new Set();

function isIn(result: PromiseSettledResult<ReadonlySet<string>>, id: string): boolean {
  return result.status === 'fulfilled' && result.value.has(id);
}

function keyOf({ charge: { id, accountId, createdAt }, claim: { scope, key, hash } }: ReadyCharge) {
  return key === undefined ? [] : [{ scope, key, contentHash: hash, objectId: id, accountId, at: createdAt }];
}
