// Charges that are asked for at the same time are written in one transaction: one commit, and so one wait for the disk,
// serves all of them.
import assert from 'node:assert/strict';
import type { Claim } from '../accounts/once.ts';
import { accountsRequirement } from '../accounts/require.ts';
import { keysInsertion } from '../accounts/store-idempotency.ts';
import type { Queue } from '../jobs/queue.ts';
import { type Batcher, batcher } from '../lib/batcher.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { type AuditLine, linesInsertion } from '../storage/audit.ts';
import type { Database, Lane } from '../storage/database.ts';
import { isMoved, type SharedClock } from '../storage/shared-clock.ts';
import { NotAllWritten, type Statement } from '../storage/together.ts';
import { firstMoment } from './begin.ts';
import type { LivingCharge } from './charge.ts';
import { chargesInsertion } from './store.ts';

/** A charge that is ready to be written, with what makes a repeat of it one. */
export type ReadyCharge = {
  readonly charge: LivingCharge;
  readonly claim: Claim;
  readonly answer: string;
  /** The turn of the clock that it was made in. */
  readonly turn: number;
  /** What the audit log is told of whoever asked. */
  readonly line: AuditLine | undefined;
};

type BatchDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly clock: SharedClock;
  readonly mode: Mode;
  readonly log: Log;
};
type Deps = BatchDeps & { readonly lane: Lane };
type WriteDeps = Deps & { readonly unmoved: Statement };

/**
 * Written: and committed. Left out: or nobody knows; it must be tried alone, which finds it if it is there after all. Untimely: it
 * was made with a time that is not the time any more, and must be made again. Refuses as unavailable when the database cannot be
 * reached; it may be there even then.
 */
export type WriteOutcome = 'written' | 'left out' | 'untimely';
export type ChargeBatches = Batcher<ReadyCharge, WriteOutcome>;

const MAX_SIZE = 100;
/** In a rush two are being written, each on a connection of its own, and a third is on its way behind one of them. */
const LANES = 2;
const MAX_RUNNING = 3;
/** In a rush the first of a turn are written while the rest of it is still being read. Fewer would cost more for each. */
const ENOUGH = 32;
const MAX_WAITING = 5_000;
/** Many must not wait for one that another transaction holds or is about to take; that one waits alone. */
export const LOCK_WAIT_MS = 200;

export function chargeBatches(deps: BatchDeps): ChargeBatches {
  const lanes = Array.from({ length: LANES }, () => ({ lane: deps.db.lane(LOCK_WAIT_MS), batches: 0 }));
  const write = async (ready: readonly ReadyCharge[]) => {
    const freest = lanes.reduce((a, b) => (b.batches < a.batches ? b : a));
    freest.batches++;
    return writeTogether({ ...deps, lane: freest.lane }, ready).finally(() => freest.batches--);
  };
  return batcher(write, {
    maxSize: MAX_SIZE,
    maxRunning: MAX_RUNNING,
    enough: ENOUGH,
    maxWaiting: MAX_WAITING,
  });
}

async function writeTogether(deps: Deps, ready: readonly ReadyCharge[]): Promise<WriteOutcome[]> {
  const [turn, unmoved] = [deps.clock.turn(), deps.clock.unmoved()];
  const isTimely = (one: ReadyCharge) => one.turn === turn;
  const otherwise = (one: ReadyCharge): WriteOutcome => (isTimely(one) ? 'left out' : 'untimely');
  try {
    const written = new Set(await writeFree({ ...deps, unmoved }, ready.filter(isTimely)));
    return ready.map(one => (written.has(one) ? 'written' : otherwise(one)));
  } catch (error) {
    // Without a database none of them would fare better alone.
    if (error instanceof AppError) throw error;
    if (isMoved(error)) return ready.map(() => 'untimely');
    deps.log.warn('charges could not be written together, and are tried one by one', { error });
    return ready.map(otherwise);
  }
}

/** Writes the charges whose key, account, id and externalId are to be had, and returns those. */
async function writeFree(deps: WriteDeps, ready: readonly ReadyCharge[]): Promise<readonly ReadyCharge[]> {
  if (ready.length === 0) return ready;
  try {
    await writeAll(deps, ready);
    return ready;
  } catch (error) {
    if (!(error instanceof NotAllWritten)) throw error;
    const { missing } = error;
    const free = ready.filter(({ charge: { id, accountId } }) => !missing.has(id) && !missing.has(accountId));
    assert(free.length < ready.length, 'what is missing is one of them');
    // Repeats are rare: it is worth writing as if there were none.
    return writeFree(deps, free);
  }
}

/**
 * Writes all of them or none. Keys come first, here and alone: whoever waits for one holds nothing that others want, as a new
 * account is.
 */
async function writeAll({ lane, queue, unmoved, mode }: WriteDeps, ready: readonly ReadyCharge[]): Promise<void> {
  const charges = ready.map(({ charge }) => charge);
  const keys = ready.flatMap(keyOf);
  const lines = ready.flatMap(({ line }) => line ?? []);
  const openings = charges.map(charge => ({ id: charge.accountId, at: charge.createdAt }));
  const rows = ready.map(({ charge, claim, answer }) => ({ charge, hash: claim.hash, answer }));
  await lane.together([
    unmoved,
    ...(keys.length > 0 ? [keysInsertion(keys, { orNothing: true })] : []),
    accountsRequirement(mode, openings),
    chargesInsertion(rows, { orNothing: true }),
    ...(await firstMoment(queue, charges)),
    ...(lines.length > 0 ? [linesInsertion(lines)] : []),
  ]);
}

function keyOf({ charge: { id, accountId, createdAt }, claim: { scope, key, hash } }: ReadyCharge) {
  return key === undefined ? [] : [{ scope, key, contentHash: hash, objectId: id, accountId, at: createdAt }];
}
