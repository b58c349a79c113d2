// Sends the crypto: the job `payout.advance` signs, SAVES, then sends, and looks the transfer up until it has enough
// confirmations. Each run begins with a lookup, so the job may be killed between any two steps and run again by any node: a
// second send has the same bytes, in the same slot.
import assert from 'node:assert/strict';
import type { Attempt, Chain, Chains, Sighting } from '../chains/chain.ts';
import { handleJob, type JobHandler, type JobOutcome, type PayloadOf } from '../jobs/job.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Database, Sql } from '../storage/database.ts';
import { ADVANCE } from './advance-job.ts';
import { chainOf } from './open.ts';
import { isWatched, type Payout, transferOf } from './payout.ts';
import { type PayoutNews, sighted } from './sighting.ts';
import { findPayout, insertAttempt, setNextLookup, updatePayout } from './store.ts';

/** The owner of a payout. Its row is locked before the payout's row, and it applies the change in the same transaction. */
export type PayoutOwner = {
  lock(tx: Sql, payout: Payout): Promise<void>;
  apply(tx: Sql, change: PayoutChange, at: Date): Promise<void>;
};

export type PayoutChange = { readonly before: Payout; readonly after: Payout; readonly news: PayoutNews };

export type AdvanceDeps = {
  readonly db: Database;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly payoutOwner: PayoutOwner;
  readonly log: Log;
};

export async function advancePayout(
  deps: AdvanceDeps,
  { accountId, payoutId }: PayloadOf<typeof ADVANCE>,
): Promise<JobOutcome> {
  const payout = await findPayout(deps.db, payoutId, accountId);
  if (!payout || !isWatched(payout)) return 'done';
  const chain = chainOf(deps.chains, payout.network);
  const attempts = payout.attempts.length > 0 ? payout.attempts : await addAttempt(deps, chain, payout);
  const sighting: Sighting =
    attempts.length > 0 ? await chain.lookup(transferOf(payout), attempts, payout.block) : { kind: 'unknown' };
  await send(deps, chain, { ...payout, attempts }, sighting);
  const change = await deps.db.transaction(tx => record(deps, tx, chain, payout, sighting));
  if (change) logChange(deps.log, change);
  return 'done';
}

/** The answer of a broadcast proves nothing; the next lookup shows the result. */
async function send(deps: AdvanceDeps, chain: Chain, payout: Payout, { kind }: Sighting): Promise<void> {
  if (kind === 'absent') await chain.broadcast(payout.attempts.at(-1)!);
  if (kind === 'stuck' && payout.attempts.length < chain.maxAttempts) {
    const attempts = await addAttempt(deps, chain, payout);
    await chain.broadcast(attempts.at(-1)!);
  }
}

/** Signs the next attempt and saves it. If another node saved one of that number first, that one is used. */
async function addAttempt(deps: AdvanceDeps, chain: Chain, payout: Payout): Promise<readonly Attempt[]> {
  const number = payout.attempts.length + 1;
  const signed = await chain.sign(transferOf(payout), payout.attempts);
  if (signed.kind !== 'signed') return payout.attempts;
  const { hash, raw } = signed;
  const attempt = { number, kind: 'transfer', hash, raw, signedAt: deps.clock.now() } as const;
  await deps.db.transaction(tx => insertAttempt(tx, payout, attempt));
  const { id: payoutId, orderId, network } = payout;
  deps.log.info('a transfer is signed and saved; it is sent next', { payoutId, orderId, network, attempt: number });
  const saved = await findPayout(deps.db, payout.id, payout.accountId);
  assert(saved && saved.attempts.length > 0, 'the saved attempt of a payout is there');
  return saved.attempts;
}

/** Writes the result of the lookup, unless another node has written a newer one in the meantime. */
async function record(
  deps: AdvanceDeps,
  tx: Sql,
  chain: Chain,
  seen: Payout,
  sighting: Sighting,
): Promise<PayoutChange | undefined> {
  await deps.payoutOwner.lock(tx, seen);
  const before = await findPayout(tx, seen.id, seen.accountId);
  if (!before || !isWatched(before)) return undefined;
  const now = deps.clock.now();
  const isOutdated =
    before.state !== seen.state ||
    before.confirmations !== seen.confirmations ||
    before.idleLookups !== seen.idleLookups;
  if (isOutdated) {
    await setNextLookup(tx, before, now);
    return undefined;
  }
  const { payout: after, news } = sighted(before, sighting, chain);
  await updatePayout(tx, after, isWatched(after) ? nextLookup(chain, sighting, after, now) : undefined, now);
  await deps.payoutOwner.apply(tx, { before, after, news }, now);
  return { before, after, news };
}

/** What the operator reads of a lookup, and how loud. */
const LINES: Record<PayoutNews['kind'], { readonly level: keyof Log; readonly text: string }> = {
  no_answer: { level: 'info', text: 'no node of the chain answers; the payout is looked up again' },
  stuck: { level: 'warn', text: 'the transfer is not being mined; a higher bid takes its slot, up to a limit' },
  undone: { level: 'warn', text: 'a reorganisation removed a transfer that was done; the same bytes are sent again' },
  reverted: { level: 'error', text: 'the chain mined the transfer without effect; its order waits for an operator' },
  done: { level: 'info', text: 'the transfer is deep enough; the payout is done' },
  in_progress: { level: 'debug', text: 'the transfer is on its way; it is looked up again' },
};

function logChange(log: Log, { before, after, news }: PayoutChange): void {
  if (news.kind === 'done' && before.state === 'done') return;
  const { id: payoutId, orderId, network } = after;
  const { level, text } = LINES[news.kind];
  log[level](text, { payoutId, orderId, network, attempt: after.attempts.length });
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

export const PAYOUT_JOBS = [ADVANCE] as const;

export function payoutJobs(deps: AdvanceDeps): JobHandler[] {
  return [handleJob(ADVANCE, payload => advancePayout(deps, payload))];
}
