// Writes charges that are requested at the same time in one transaction, so that one commit, and one wait for the disk,
// serves all of them. storage/batching/README.md explains how batches form.
import type { Claim } from '../accounts/once.ts';
import type { AccountPolicy } from '../accounts/require.ts';
import { type NewKeyUse, releaseKeys, takeKeys } from '../accounts/store-idempotency.ts';
import type { AuditLine } from '../lib/audit-context.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { ObjectTrace } from '../lib/tracing.ts';
import { withWorkKind } from '../lib/work-kind.ts';
import type { Rails } from '../rails/rails.ts';
import { insertAuditLines } from '../storage/audit.ts';
import { type Batcher, batcher } from '../storage/batching/batcher.ts';
import type { Database, Sql } from '../storage/database.ts';
import { insertTraces } from '../storage/object-traces.ts';
import { chargeAnswer } from './answer.ts';
import { type NumberDeps, numberCharges } from './bank-files/number.ts';
import { beginCharges } from './begin.ts';
import type { Charge } from './charge.ts';
import { locateCharges } from './locate.ts';
import { insertCharges } from './store.ts';
import type { WriteDeps } from './write.ts';

/** A charge that is ready to be written, with the claim that detects a repeat of it. */
export type ReadyCharge = {
  readonly charge: Charge;
  readonly claim: Claim;
  readonly answer: string;
  readonly auditLine: AuditLine | undefined;
  readonly trace: ObjectTrace | undefined;
};

/**
 * The charge as it was written, with its answer. `skipped`: the batch has not written it, or it is not known whether it has;
 * the caller writes it singly, and so finds a charge that was committed after all.
 */
export type WriteOutcome = WrittenCharge | 'skipped';
export type WrittenCharge = Pick<ReadyCharge, 'charge' | 'answer'>;
export type ChargeBatches = Batcher<ReadyCharge, WriteOutcome>;

type Deps = WriteDeps & {
  readonly db: Database;
  readonly rails: Rails;
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
      return await withWorkKind('new charges', () => deps.db.transaction(tx => writeBatch(deps, tx, ready), options));
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
async function writeBatch(
  { queue, links, rails, accounts, log }: Deps,
  tx: Sql,
  ready: readonly ReadyCharge[],
): Promise<readonly WriteOutcome[]> {
  const taken = await takeKeys(tx, ready.flatMap(keyUseOf));
  const usable = await accounts.usable(
    tx,
    ready.map(({ charge }) => ({ id: charge.accountId, at: charge.createdAt })),
  );
  const candidates = await numberReady(
    tx,
    { rails, log },
    await locateReady(
      tx,
      rails,
      ready.filter(
        ({ charge, claim }) => usable.has(charge.accountId) && (claim.key === undefined || taken.has(charge.id)),
      ),
    ),
  );
  const written = await insertCharges(
    tx,
    candidates.map(({ charge, claim, answer }) => ({ charge, hash: claim.hash, answer })),
  );
  const isWritten = ({ charge }: ReadyCharge) => written.has(charge.id);
  const inserted = candidates.filter(isWritten);
  const asWritten = new Map(inserted.map(({ charge, answer }) => [charge.id, { charge, answer }]));
  const unused = ready
    .filter(one => !isWritten(one))
    .flatMap(keyUseOf)
    .filter(({ objectId }) => taken.has(objectId));
  // These statements do not depend on each other, so they are sent together.
  await Promise.all([
    unused.length > 0 && releaseKeys(tx, unused),
    beginCharges(
      { queue, links },
      tx,
      inserted.map(({ charge }) => charge),
    ),
    insertAuditLines(
      tx,
      inserted.flatMap(({ auditLine }) => auditLine ?? []),
    ),
    insertTraces(
      tx,
      inserted.map(({ trace }) => trace),
    ),
  ]);
  return ready.map(({ charge }) => asWritten.get(charge.id) ?? 'skipped');
}

/** The same charges, those with a location with the answer that has its code. */
export async function locateReady(tx: Sql, rails: Rails, ready: readonly ReadyCharge[]): Promise<ReadyCharge[]> {
  const located = await locateCharges(
    tx,
    rails,
    ready.map(({ charge }) => charge),
  );
  return ready.map((one, index) => withCharge(one, located[index]!));
}

/** Those that need no number, or have got one. */
async function numberReady(tx: Sql, deps: NumberDeps, ready: readonly ReadyCharge[]): Promise<ReadyCharge[]> {
  const numbered = await numberCharges(
    tx,
    deps,
    ready.map(({ charge }) => charge),
  );
  return ready.flatMap((one, index) => {
    const charge = numbered[index];
    return charge ? withCharge(one, charge) : [];
  });
}

export function withCharge(one: ReadyCharge, charge: Charge): ReadyCharge {
  return charge === one.charge ? one : { ...one, charge, answer: JSON.stringify(chargeAnswer(charge)) };
}

function keyUseOf({ charge: { id, accountId, createdAt }, claim: { scope, key, hash } }: ReadyCharge): NewKeyUse[] {
  return key === undefined ? [] : [{ scope, key, contentHash: hash, objectId: id, accountId, at: createdAt }];
}
