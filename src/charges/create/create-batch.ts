// Writes charges that are requested at the same time in one transaction, so that one commit, and one wait for the disk,
// serves all of them. storage/batching/README.md explains how batches form.
import type { RequestIdentity } from '../../accounts/once.ts';
import type { AccountPolicy } from '../../accounts/require.ts';
import { type NewKeyUse, releaseKeys, takeKeys } from '../../accounts/store-idempotency.ts';
import type { AuditLine } from '../../lib/audit-context.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { ObjectTrace } from '../../lib/tracing.ts';
import { insertAuditLines } from '../../storage/audit.ts';
import { type Batcher, batcher } from '../../storage/batching/batcher.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { insertTraces } from '../../storage/object-traces.ts';
import type { Charge } from '../charge.ts';
import { type WriteNewDeps, type WrittenCharge, writeNewCharges } from './write-new.ts';

/** A charge ready to be written, with the claim that detects a repeat of it. */
export type ReadyCharge = {
  readonly charge: Charge;
  readonly claim: RequestIdentity;
  readonly auditLine: AuditLine | undefined;
  readonly trace: ObjectTrace | undefined;
};

/**
 * The charge as it was written, with its answer. `skipped`: the batch has not written it, or its commit is unknown; the caller
 * writes it singly, which finds the charge if it was committed.
 */
type WriteOutcome = WrittenCharge | 'skipped';
export type ChargeBatches = Batcher<ReadyCharge, WriteOutcome>;

type Deps = WriteNewDeps & {
  readonly db: Database;
  readonly accounts: AccountPolicy;
  readonly log: Log;
  /** Called with the size of each batch. */
  readonly observeChargeBatch?: ((size: number) => void) | undefined;
};

const LIMITS = { maxSize: 100, maxRunning: 2, maxWaiting: 5_000 } as const;
/** A batch must not wait long for a key or an externalId that another open transaction has taken; a single write may. */
const LOCK_TIMEOUT_MS = 200;

/** `add` fails with the outage when the database is away or too slow; the charge may have been committed even then. */
export function startChargeBatches(deps: Deps): ChargeBatches {
  return batcher<ReadyCharge, WriteOutcome>(async ready => {
    deps.observeChargeBatch?.(ready.length);
    try {
      const options = { lockTimeoutMs: LOCK_TIMEOUT_MS };
      return await deps.db.transaction(tx => writeBatch(deps, tx, ready), options);
    } catch (error) {
      // An outage concerns the whole batch: writing them singly would fail too.
      if (error instanceof AppError) throw error;
      deps.log.warn('a batch of charges was rolled back; each charge is now written singly', {
        count: ready.length,
        error,
      });
      return ready.map(() => 'skipped');
    }
  }, LIMITS);
}

/**
 * Writes the charges whose account is usable and whose key, id and externalId are free. It takes the keys first, so that a
 * transaction that waits for a key holds no other lock.
 */
async function writeBatch(deps: Deps, tx: Sql, ready: readonly ReadyCharge[]): Promise<readonly WriteOutcome[]> {
  const taken = await takeKeys(tx, ready.flatMap(keyUseOf));
  const usable = await deps.accounts.usable(
    tx,
    ready.map(({ charge }) => ({ id: charge.accountId, at: charge.createdAt })),
  );
  const candidates = ready.filter(
    ({ charge, claim }) => usable.has(charge.accountId) && (claim.key === undefined || taken.has(charge.id)),
  );
  const written = await writeNewCharges(
    deps,
    tx,
    candidates.map(({ charge, claim }) => ({ charge, hash: claim.hash })),
    { isAlone: false },
  );
  const isWritten = ({ charge }: ReadyCharge) => written.has(charge.id);
  const unused = ready
    .filter(one => !isWritten(one))
    .flatMap(keyUseOf)
    .filter(({ objectId }) => taken.has(objectId));
  const inserted = ready.filter(isWritten);
  // These statements do not depend on each other, so they are sent together.
  await Promise.all([
    unused.length > 0 && releaseKeys(tx, unused),
    insertAuditLines(
      tx,
      inserted.flatMap(({ auditLine }) => auditLine ?? []),
    ),
    insertTraces(
      tx,
      inserted.map(({ trace }) => trace),
    ),
  ]);
  return ready.map(({ charge }) => written.get(charge.id) ?? 'skipped');
}

function keyUseOf({ charge: { id, accountId, createdAt }, claim: { scope, key, hash } }: ReadyCharge): NewKeyUse[] {
  return key === undefined ? [] : [{ scope, key, contentHash: hash, objectId: id, accountId, at: createdAt }];
}
