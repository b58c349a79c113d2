// Sends the crypto: the job `payout.advance` signs, SAVES, then sends, and looks the transfer up until nothing can change any
// more. Each run begins with a lookup, so the job may be killed between any two steps and run again by any node: a second
// send has the same bytes, in the same slot.
import { NETWORKS } from '../chains/asset.ts';
import type { Attempt, Chain, Chains, Sighting } from '../chains/chain.ts';
import { handleJob, type JobHandler, type JobOutcome } from '../jobs/job.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database, Sql } from '../storage/database.ts';
import { ADVANCE, type PayoutId } from './jobs.ts';
import { logChange } from './log-change.ts';
import { chainOf } from './open.ts';
import type { PayoutChange, PayoutOwner } from './owner.ts';
import { isWatched, type Payout, transferOf } from './payout.ts';
import { type Run, sighted } from './sighting.ts';
import { findPayout, insertAttempts, setNextLookup, updatePayout } from './store.ts';
import { haltSender } from './store-senders.ts';

export type AdvanceDeps = {
  readonly db: Database;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly payoutOwner: PayoutOwner;
  readonly log: Log;
};

export async function advancePayout(deps: AdvanceDeps, { accountId, payoutId }: PayoutId): Promise<JobOutcome> {
  const payout = await findPayout(deps.db, payoutId, accountId);
  if (!payout || !isWatched(payout)) return 'done';
  const chain = chainOf(deps.chains, payout.network);
  const sighting = await look(chain, payout);
  const { attempts, ...run } = await act(deps, chain, payout, sighting);
  const change = await deps.db.transaction(tx => record(deps, tx, chain, { ...payout, attempts }, sighting, run));
  if (change) logChange(deps.log, change);
  return 'done';
}

/** Nothing that was never signed can be mined. */
async function look(chain: Chain, payout: Payout): Promise<Sighting> {
  if (payout.attempts.length > 0) return chain.lookup(transferOf(payout), payout.attempts, payout.block);
  return { kind: payout.voidRequestedAt ? 'stuck' : 'absent' };
}

type Action = 'sign' | 'send' | 'wait';

/** What a sighting asks for. A slot that was given up gets no transfer any more, only voids. */
export function actionFor(
  { attempts, voidRequestedAt }: Pick<Payout, 'attempts' | 'voidRequestedAt'>,
  { kind }: Sighting,
  { maxAttempts, signVoid }: Pick<Chain, 'maxAttempts' | 'signVoid'>,
): Action {
  if (kind === 'mined' || kind === 'unknown' || kind === 'taken') return 'wait';
  if (voidRequestedAt && !signVoid) return 'wait';
  const wanted = voidRequestedAt ? 'void' : 'transfer';
  const signed = attempts.filter(attempt => attempt.kind === wanted).length;
  if (signed === 0 || (kind === 'stuck' && signed < maxAttempts)) return 'sign';
  // What is pending may be a transfer, and the void that was saved after it may not have been sent.
  return kind === 'pending' && !voidRequestedAt ? 'wait' : 'send';
}

type Acted = Run & { readonly attempts: readonly Attempt[] };

/** The answer of a broadcast proves nothing; the next lookup shows the result. */
async function act(deps: AdvanceDeps, chain: Chain, payout: Payout, sighting: Sighting): Promise<Acted> {
  const { attempts } = payout;
  const action = actionFor(payout, sighting, chain);
  if (action === 'wait') return { attempts, words: 'words' in sighting ? sighting.words : undefined };
  const next: Acted = action === 'sign' ? await addAttempt(deps, chain, payout) : { attempts };
  const newest = next.attempts.at(-1);
  // What could not be signed leaves what was sent before as it is.
  if (!newest || (action === 'sign' && next.attempts.length === attempts.length)) return next;
  const { words } = await chain.broadcast(newest);
  return { ...next, words, isExhausted: action === 'send' && sighting.kind === 'stuck' };
}

/** Signs the next attempt and saves it. If another node saved one of that number first, that one is used. */
async function addAttempt(deps: AdvanceDeps, chain: Chain, payout: Payout): Promise<Acted> {
  const { attempts: before, voidRequestedAt } = payout;
  const transfer = transferOf(payout);
  const signed =
    voidRequestedAt && chain.signVoid
      ? await chain.signVoid(transfer.slot, before)
      : await chain.sign(transfer, before);
  if (signed.kind !== 'signed') return { attempts: before, words: signed.words };
  const { hash, raw } = signed;
  const kind = voidRequestedAt ? 'void' : 'transfer';
  const attempt: Attempt = { number: before.length + 1, kind, hash, raw, signedAt: deps.clock.now() };
  const saved = await deps.db.transaction(tx => insertAttempts(tx, [{ payout, attempt }]));
  if (saved.size === 0) {
    const found = await findPayout(deps.db, payout.id, payout.accountId);
    return { attempts: found?.attempts ?? before };
  }
  const { id: payoutId, orderId, network } = payout;
  deps.log.info('a transfer is signed and saved; it is sent next', {
    payoutId,
    orderId,
    network,
    attempt: attempt.number,
  });
  return { attempts: [...before, attempt] };
}

/** Writes the result of the lookup, unless another node has written a newer one in the meantime. */
async function record(
  deps: AdvanceDeps,
  tx: Sql,
  chain: Chain,
  seen: Payout,
  sighting: Sighting,
  run: Run,
): Promise<PayoutChange | undefined> {
  await deps.payoutOwner.lock(tx, seen);
  const before = await findPayout(tx, seen.id, seen.accountId);
  if (!before || !isWatched(before)) return undefined;
  const now = deps.clock.now();
  if (isOutdated(seen, before)) {
    await setNextLookup(tx, before, now);
    return undefined;
  }
  const { payout: after, news } = sighted(before, sighting, chain, run);
  await updatePayout(tx, after, isWatched(after) ? nextLookup(chain, sighting, after, now) : undefined, now);
  // Once: an operator who has resumed the sender has seen this payout.
  const isFirstSight = before.lastSighting !== 'taken';
  if (news.kind === 'taken' && isFirstSight) await haltSender(tx, after.network, after.sender, now);
  await deps.payoutOwner.apply(tx, { before, after, news }, now);
  return { before, after, news };
}

/** Whether the payout has changed since the lookup began, beside what this run itself has added. */
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
function nextLookup(chain: Chain, sighting: Sighting, { idleLookups }: Payout, now: Date): Date {
  // An absent transfer was sent a moment ago, so it is pending now.
  const expected = sighting.kind === 'absent' ? ({ kind: 'pending' } as const) : sighting;
  const baseMs = chain.nextLookupAt(expected, now).getTime() - now.getTime();
  const delayMs = Math.min(baseMs * 2 ** Math.min(idleLookups, MAX_DOUBLINGS), Math.max(baseMs, LONGEST_WAIT_MS));
  return new Date(now.getTime() + delayMs);
}

export function payoutJobs(deps: AdvanceDeps): JobHandler[] {
  return NETWORKS.map(network => handleJob(ADVANCE[network], payload => advancePayout(deps, payload)));
}
