// Sends the crypto: the job `payout.advance` signs, SAVES, then sends, and looks the transfer up until nothing can change any
// more. Each run begins with a lookup, so the job may be killed between any two steps and run again by any node: a second
// send has the same bytes, in the same slot.
import { NETWORKS } from '../../chains/asset.ts';
import type { Attempt, Chain, Chains, Sighting } from '../../chains/chain.ts';
import { handleJob, type JobHandler, type JobOutcome } from '../../jobs/job.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { batcher } from '../../storage/batching/batcher.ts';
import type { Database, Sql, TransactionOptions } from '../../storage/database.ts';
import { ADVANCE, type PayoutId } from '../jobs.ts';
import { takenMessage } from '../line/foreign-slots.ts';
import { chainOf } from '../line/open.ts';
import type { PayoutChange, PayoutOwner } from '../owner.ts';
import { isWatched, type Payout, transferOf, type UnsignedSlots } from '../payout.ts';
import { lockPayouts } from '../store/cold-sweeps.ts';
import { noteTaken } from '../store/older-books.ts';
import {
  findPayout,
  findPayouts,
  insertAttempts,
  type PayoutUpdate,
  setNextLookup,
  updatePayouts,
} from '../store/payouts.ts';
import { haltSender } from '../store/senders.ts';
import { askRefusal, type Refusal, readRefusals, saveFirst } from './first-signature.ts';
import { logChange, logFieldsOf } from './log-change.ts';
import { lockOwners } from './owners.ts';
import { type Run, sighted } from './sighting.ts';

export type AdvanceDeps = {
  readonly db: Database;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly queue: Queue;
  readonly payoutOwner: Pick<PayoutOwner, 'lock' | 'hasWaiting' | 'logFieldsOf'>;
  /** What to do with a slot that no transfer may be signed for; `void` when absent. */
  readonly unsignedSlots?: UnsignedSlots | undefined;
  readonly log: Log;
};

/** How payouts are read and lookups are written: one by one, or in batches with those that come at the same time. */
type PayoutIo = {
  find(id: PayoutId): Promise<Payout | undefined>;
  write(looked: Looked): Promise<PayoutChange | undefined>;
};

/** What a run has seen and done. */
type Looked = { readonly chain: Chain; readonly seen: Payout; readonly sighting: Sighting; readonly run: Run };

export async function advancePayout(deps: AdvanceDeps, id: PayoutId, io = oneByOne(deps)): Promise<JobOutcome> {
  const payout = await io.find(id);
  if (!payout || !isWatched(payout)) return 'done';
  const chain = chainOf(deps.chains, payout.network);
  const sighting = await look(chain, payout);
  const { attempts, ...run } = await act(deps, chain, payout, sighting);
  const change = await io.write({ chain, seen: { ...payout, attempts }, sighting, run });
  if (change) logChange(deps, change);
  return 'done';
}

function oneByOne(deps: AdvanceDeps): PayoutIo {
  return {
    find: ({ payoutId, accountId }) => findPayout(deps.db, payoutId, accountId),
    write: async looked => (await writeAll(deps, [looked]))[0],
  };
}

/** Nothing that was never signed can be mined. */
async function look(chain: Chain, payout: Payout): Promise<Sighting> {
  if (payout.attempts.length > 0) return chain.lookup(transferOf(payout), payout.attempts, payout.block);
  return { kind: payout.voidRequestedAt ? 'stuck' : 'absent' };
}

type Action = 'sign' | 'send' | 'wait';

/** The next action after a sighting. A slot that was given up gets only voids. */
function actionFor(
  { attempts, voidRequestedAt }: Pick<Payout, 'attempts' | 'voidRequestedAt'>,
  { kind }: Sighting,
  { maxAttempts, signVoid }: Pick<Chain, 'maxAttempts' | 'signVoid'>,
): Action {
  if (kind === 'mined' || kind === 'unknown' || kind === 'taken') return 'wait';
  if (voidRequestedAt && !signVoid) return 'wait';
  const wanted = voidRequestedAt ? 'void' : 'transfer';
  const signed = attempts.filter(attempt => attempt.kind === wanted).length;
  if (signed === 0 || (kind === 'stuck' && signed < maxAttempts)) return 'sign';
  // The pending one may be the transfer, and the void saved after it may not have been sent.
  return kind === 'pending' && !voidRequestedAt ? 'wait' : 'send';
}

type Acted = Run & { readonly attempts: readonly Attempt[] };

/** The answer of a broadcast proves nothing; the next lookup shows the result. */
async function act(deps: AdvanceDeps, chain: Chain, payout: Payout, sighting: Sighting): Promise<Acted> {
  const { attempts } = payout;
  const action = actionFor(payout, sighting, chain);
  if (action === 'wait') return { attempts, message: 'message' in sighting ? sighting.message : undefined };
  const next: Acted = action === 'sign' ? await addAttempt(deps, chain, payout) : { attempts };
  const newest = next.attempts.at(-1);
  // A failed signature leaves earlier attempts as they are.
  if (!newest || (action === 'sign' && next.attempts.length === attempts.length)) return next;
  const sentAt = deps.clock.now();
  const { message } = await chain.broadcast(newest, payout.sender);
  return {
    ...next,
    message,
    sentAt,
    isNew: action === 'sign',
    isExhausted: action === 'send' && sighting.kind === 'stuck',
  };
}

/** Signs the next attempt and saves it. If another node saved one of that number first, that one is used. */
async function addAttempt(deps: AdvanceDeps, chain: Chain, payout: Payout): Promise<Acted> {
  const { attempts: before, voidRequestedAt } = payout;
  // After the first signature a transfer continues despite blocks and pauses: abandoned, it would block its sender.
  const isFirst = before.length === 0 && !voidRequestedAt;
  const standing = isFirst ? (await readRefusals(deps.db, [payout])).get(payout.id) : undefined;
  if (standing) return withoutSignature(deps, payout, standing);
  const transfer = transferOf(payout);
  const signed =
    voidRequestedAt && chain.signVoid
      ? await chain.signVoid(transfer.slot, before)
      : await chain.sign(transfer, before);
  if (signed.kind !== 'signed') {
    const refusal = isFirst && signed.kind === 'refused' ? await askRefusal(chain, payout) : undefined;
    return refusal ? withoutSignature(deps, payout, refusal) : { attempts: before, message: signed.message };
  }
  const { hash, raw } = signed;
  const kind = voidRequestedAt ? 'void' : 'transfer';
  const attempt: Attempt = { number: before.length + 1, kind, hash, raw, signedAt: deps.clock.now() };
  const { saved, refusals } = isFirst
    ? await saveFirst(deps.db, payout.network, [{ payout, attempt }])
    : { saved: await deps.db.transaction(tx => insertAttempts(tx, [{ payout, attempt }])), refusals: NONE };
  const refusal = refusals.get(payout.id);
  if (refusal) return withoutSignature(deps, payout, refusal);
  if (saved.size === 0) {
    const found = await findPayout(deps.db, payout.id, payout.accountId);
    return { attempts: found?.attempts ?? before };
  }
  deps.log.info('a transfer is signed and saved; it is sent next', {
    ...logFieldsOf(deps.payoutOwner, payout),
    attempt: attempt.number,
  });
  return { attempts: [...before, attempt] };
}

const NONE: ReadonlyMap<string, Refusal> = new Map();

function withoutSignature(
  { unsignedSlots = 'void' }: AdvanceDeps,
  { attempts }: Payout,
  { reason, message }: Refusal,
): Acted {
  return { attempts, message, unsigned: { reason, message, isGivenUp: unsignedSlots === 'void' } };
}

/** Writes what lookups saw, in one transaction: the payouts, and the steps of their owners. */
function writeAll(
  deps: AdvanceDeps,
  looked: readonly Looked[],
  options: TransactionOptions = {},
): Promise<(PayoutChange | undefined)[]> {
  return deps.db.transaction(async tx => {
    const seen = looked.map(one => one.seen);
    const applyToOwners = await lockOwners(deps, tx, seen);
    // Locked, so that no other node saves a transfer between this check and the end of the slot.
    const unsigned = looked.flatMap(({ run, seen: payout }) => (run.unsigned ? [payout] : []));
    await lockPayouts(tx, unsigned);
    const current = new Map(await findPayouts(tx, seen));
    const now = deps.clock.now();
    const changes: (PayoutChange | undefined)[] = [];
    const updates: PayoutUpdate[] = [];
    for (const one of looked) {
      const before = current.get(one.seen.id);
      if (!before || !isWatched(before)) changes.push(undefined);
      else if (isOutdated(one.seen, before)) {
        // Another run has written a newer state meanwhile.
        await setNextLookup(tx, before, now);
        changes.push(undefined);
      } else {
        const { change, update } = changeOf(one, before, now);
        changes.push(change);
        updates.push(update);
        // A second run for the same payout is outdated by the first.
        current.delete(before.id);
      }
    }
    await updatePayouts(tx, updates, now);
    const made = changes.filter(change => change !== undefined);
    for (const change of made) await haltIfTaken(tx, change, now);
    await applyToOwners(made, now);
    return changes;
  }, options);
}

function changeOf(
  { chain, sighting, run }: Looked,
  before: Payout,
  now: Date,
): { readonly change: PayoutChange; readonly update: PayoutUpdate } {
  const { payout: seen, news } = sighted(before, sighting, chain, now, run);
  const after = withTimes(seen, { before, sighting, sentAt: run.sentAt, now });
  const nextLookup = isWatched(after) ? nextLookupOf(chain, sighting, after, now) : undefined;
  return { change: { before, after, news }, update: { payout: after, nextLookup } };
}

type Times = {
  readonly before: Payout;
  readonly sighting: Sighting;
  readonly sentAt: Date | undefined;
  readonly now: Date;
};

/** When it was first sent, and since when nodes no longer show the block that made it done. */
function withTimes({ contradictedAt: _, ...seen }: Payout, { before, sighting, sentAt, now }: Times): Payout {
  const firstSentAt = before.sentAt ?? sentAt;
  const isDenied = before.state === 'done' && sighting.kind === 'unknown' && sighting.isAnswered === true;
  // No answer proves nothing either way.
  const known = sighting.kind === 'unknown' ? before.contradictedAt : undefined;
  const contradictedAt = known ?? (isDenied ? now : undefined);
  return { ...seen, ...(firstSentAt && { sentAt: firstSentAt }), ...(contradictedAt && { contradictedAt }) };
}

/** Not again for a payout that an operator knew of when resuming the sender. */
async function haltIfTaken(tx: Sql, { after, news }: PayoutChange, now: Date): Promise<void> {
  // A gap fill whose slot was used by something else has done its work.
  if (news.kind !== 'taken' || after.isGapFill || (await noteTaken(tx, after, now)).isAcknowledged) return;
  await haltSender(tx, after.network, after.sender, now, takenMessage(after));
}

/** Whether the payout has changed since the lookup began, apart from what this run itself has added. */
function isOutdated(seen: Payout, now: Payout): boolean {
  return (
    now.state !== seen.state ||
    now.confirmations !== seen.confirmations ||
    now.idleLookups !== seen.idleLookups ||
    now.attempts.length !== seen.attempts.length ||
    now.voidRequestedAt?.getTime() !== seen.voidRequestedAt?.getTime()
  );
}

const LONGEST_WAIT_MS = 3_600_000;
const MAX_DOUBLINGS = 20;

/** The chain gives the time of the next lookup; the interval doubles with every lookup without a change. */
function nextLookupOf(chain: Chain, sighting: Sighting, { idleLookups, state }: Payout, now: Date): Date {
  // An absent transfer was sent a moment ago, so it is pending now.
  const expected = sighting.kind === 'absent' ? ({ kind: 'pending' } as const) : sighting;
  const longestMs = (state === 'open' ? chain.maxLookupWaitMs : undefined) ?? LONGEST_WAIT_MS;
  const baseMs = chain.nextLookupAt(expected, now).getTime() - now.getTime();
  const delayMs = Math.min(baseMs * 2 ** Math.min(idleLookups, MAX_DOUBLINGS), Math.max(baseMs, longestMs));
  return new Date(now.getTime() + delayMs);
}

/** Payouts that are read or written in one transaction. */
const BATCH_LIMITS = { maxSize: 50, maxRunning: 2, maxWaiting: 100_000 } as const;
/** A batch must not wait for one locked owner: after this time each payout is written by itself. */
const LOCK_TIMEOUT_MS = 200;

/** Jobs of one network that run at the same time read and write together: a block decides many payouts at once. */
export function payoutJobs(deps: AdvanceDeps): JobHandler[] {
  return NETWORKS.map(network => {
    const finds = batcher<PayoutId, Payout | undefined>(async ids => {
      const wanted = ids.map(({ payoutId: id, accountId }) => ({ id, accountId }));
      const found = await findPayouts(deps.db, wanted);
      return ids.map(({ payoutId }) => found.get(payoutId));
    }, BATCH_LIMITS);
    const writes = batcher<Looked, PayoutChange | undefined>(
      (looked, isSingle) => writeAll(deps, looked, isSingle ? {} : { lockTimeoutMs: LOCK_TIMEOUT_MS }),
      BATCH_LIMITS,
    );
    return handleJob(ADVANCE[network], id => advancePayout(deps, id, { find: finds.add, write: writes.add }));
  });
}
