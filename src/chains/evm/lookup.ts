// Looks the attempts at a slot up. The count of the sender says whether the slot is used; only then is a receipt asked for.
// One provider suffices for what the next lookup corrects; everything else needs a quorum (agree.ts).
import { memoize } from '../../lib/memoize.ts';
import type { Attempt, Block, Sighting, Transfer } from '../chain.ts';
import { agreedReceipts, confirmationsOf, isFinal, type MinedReport, type Report } from './agree.ts';
import { remembers } from './memory.ts';
import type { Movements } from './movements.ts';
import { outcomeOf } from './outcome.ts';
import { readHead, readIsKnown, readQuantity, readReceipt } from './read.ts';
import { readTransaction } from './transaction.ts';
import { replyValue, type View, type Watch } from './watch.ts';

type LookupDeps = {
  readonly watch: Watch;
  readonly movements: Movements;
  readonly quorum: number;
  readonly depth: number;
  readonly blockMs: number;
  readonly stuckAfterMs: number;
  readonly now: () => Date;
};

type LookedUp = {
  readonly transfer: Transfer;
  readonly attempts: readonly Attempt[];
  readonly seen?: Block | undefined;
  /** The contract of the asset; undefined for the coin. */
  readonly token: string | undefined;
};

/** Providers answered, but what they said does not allow a conclusion. */
const unclear = (message: string): Sighting => ({ kind: 'unknown', message, isAnswered: true });

export async function lookup(deps: LookupDeps, asked: LookedUp): Promise<Sighting> {
  const { transfer, attempts, seen } = asked;
  const views = await deps.watch.views(transfer.slot.sender);
  if (views.length === 0) return { kind: 'unknown', message: 'no provider answers' };
  const reports = await Promise.all(views.map(view => reportOf(view, transfer.slot.nonce, attempts)));
  const agreed = agreedReceipts(reports, deps.quorum);
  if (agreed === 'disagreement') return unclear('the providers disagree about the transfer');
  if (agreed) return mined(deps, asked, agreed);
  if (seen && !(await isUndone(views, seen, deps.quorum))) {
    return unclear('no receipt is found, and too few providers show another block in place of the one that had it');
  }
  const used = reports.filter(({ kind }) => kind !== 'unused');
  if (used.length > 0) return markUsed(await usedByOthers(deps, asked, reports), reports, deps.quorum);
  return waiting(deps, asked, views);
}

/** Whether a quorum counts the slot as used and has no receipt, before a final block says so. */
function markUsed(sighting: Sighting, reports: readonly Report[], quorum: number): Sighting {
  const isUsed = reports.filter(({ kind }) => kind === 'foreign').length >= quorum;
  return isUsed && sighting.kind === 'unknown' ? { ...sighting, isUsed } : sighting;
}

async function reportOf(view: View, nonce: bigint, attempts: readonly Attempt[]): Promise<Report> {
  if (view.mined <= nonce) return { kind: 'unused', view };
  const replies = await Promise.all(
    attempts.map(({ hash }) => view.provider.ask('eth_getTransactionReceipt', [hash], readReceipt)),
  );
  const receipts = replies.map(replyValue);
  const receipt = receipts.find((one, index) => one && one.transactionHash === attempts[index]?.hash);
  // Base shows receipts of blocks that are not sealed yet: https://docs.base.org transaction-finality.
  if (receipt) return { kind: receipt.blockNumber <= view.head.number ? 'receipt' : 'unclear', view, receipt };
  return { kind: receipts.every(one => one === null) ? 'foreign' : 'unclear', view };
}

async function mined(
  { depth, quorum, movements }: LookupDeps,
  { transfer, attempts, token }: LookedUp,
  reports: readonly [MinedReport, ...MinedReport[]],
): Promise<Sighting> {
  const { receipt } = reports[0];
  const attempt = attempts.find(({ hash }) => hash === receipt.transactionHash);
  if (!attempt) return unclear('a receipt of another transaction was returned');
  const confirmations = confirmationsOf(reports);
  const sighting = {
    kind: 'mined',
    hash: attempt.hash,
    block: { number: Number(receipt.blockNumber), hash: receipt.blockHash },
    confirmations,
    // The depth counts besides the tag: Polygon once rolled back milestones.
    isFinal: confirmations >= depth && isFinal(reports, quorum),
    feeUnits: receipt.feeUnits,
    ...outcomeOf(transfer, attempt, receipt, token),
  } as const;
  const { outcome } = sighting;
  const isEarly = confirmations < Math.min(depth, MOVEMENTS_DEPTH);
  if (token === undefined || isEarly || (outcome !== 'transferred' && outcome !== 'reverted')) return sighting;
  const asked = { transfer, token, receipt, views: reports.map(({ view }) => view) };
  const isSuccess = outcome === 'transferred';
  const movement = await (isSuccess ? movements.ofSuccess(asked) : movements.ofFailure(asked));
  if (movement.kind === 'unknown') {
    // It is in a block, but is neither done nor failed until the balances are known.
    return { ...sighting, confirmations: Math.min(confirmations, depth - 1), isFinal: false };
  }
  if (movement.kind !== 'differs') return sighting;
  if (isSuccess) return { ...sighting, outcome: 'mismatched', leftUnits: movement.leftUnits };
  return unclear('a receipt says that the transfer failed, and its block shows that something moved');
}

/** Where a transfer is final later than that, balances are read here already: nodes keep those of the last 128 blocks. */
const MOVEMENTS_DEPTH = 64;

/** Whether a quorum has another block at the height of one that was seen. A node that lags has no block there. */
async function isUndone(views: readonly View[], seen: Block, quorum: number): Promise<boolean> {
  const height = `0x${seen.number.toString(16)}`;
  const blocks = await Promise.all(
    views.map(({ provider }) => provider.ask('eth_getBlockByNumber', [height, false], readHead)),
  );
  const others = blocks.map(replyValue).filter(block => block && block.hash !== seen.hash);
  return others.length >= quorum;
}

/** Clocks of this machine and of a network differ a little. */
const MEMORY_MARGIN_MS = 3_600_000;

/**
 * The slot is used and no attempt has a receipt: the node has not indexed its newest block, or has dropped the block of the transfer, or
 * the key was used elsewhere. Only the last is reported as such, since a transfer believed lost is made again.
 */
async function usedByOthers(
  { quorum }: LookupDeps,
  { transfer: { slot }, attempts }: LookedUp,
  reports: readonly Report[],
): Promise<Sighting> {
  const foreign = reports.filter(({ kind }) => kind === 'foreign');
  const counts = await Promise.all(
    foreign.map(({ view }) => view.provider.ask('eth_getTransactionCount', [slot.sender, 'finalized'], readQuantity)),
  );
  const isPast = counts.map(replyValue).map(count => count !== undefined && count > slot.nonce);
  const past = foreign.filter((_, index) => isPast[index]);
  if (past.length < quorum) return unclear('the slot is used, but no attempt has a receipt yet');
  const [first] = attempts;
  if (!first) return { kind: 'taken' };
  const since = new Date(first.signedAt.getTime() - MEMORY_MARGIN_MS);
  const remembered = await Promise.all(past.map(({ view }) => remembers(view, since)));
  const keeping = past.filter((_, index) => remembered[index]);
  if (keeping.length < quorum) {
    return unclear('the slot is used, and too few providers still have the transactions of that time');
  }
  // Behind one address the node that has those transactions may not be the one that had no receipt.
  const again = await Promise.all(keeping.map(({ view }) => reportOf(view, slot.nonce, attempts)));
  if (again.every(({ kind }) => kind === 'foreign')) return { kind: 'taken' };
  return unclear('the slot is used, and not every provider has said twice that no attempt has a receipt');
}

/** How much longer an attempt is sent again unchanged than one that waits in a pool. */
const REFUSED_TIMES = 5;

/** The slot is free: an attempt waits in a pool, will never be mined as it is, or is unknown to every node. */
async function waiting(deps: LookupDeps, asked: LookedUp, views: readonly View[]): Promise<Sighting> {
  const { transfer, attempts, seen } = asked;
  const { nonce } = transfer.slot;
  const newest = attempts.at(-1);
  if (!newest) return { kind: 'absent' };
  const isPooled = views.some(({ pooled }) => pooled > nonce) || (await isKnown(views, attempts));
  if (isPooled === undefined) return { kind: 'unknown', message: 'no provider says whether it knows the transfer' };
  const ageMs = deps.now().getTime() - newest.signedAt.getTime();
  const bid = bidOf(newest.raw);
  const isBelowBaseFee = views.every(({ head }) => bid < head.baseFee);
  // Behind an earlier slot of its sender it waits for that one at any fee.
  const isFirst = views.some(({ mined }) => mined === nonce);
  const isLate = isFirst && ageMs >= deps.stuckAfterMs;
  if (isPooled) return { kind: isLate || (isBelowBaseFee && ageMs >= 2 * deps.blockMs) ? 'stuck' : 'pending' };
  // Pools that are full, or want a higher tip, refuse the same bytes for ever. Others refuse because the sender lacks coin, which may still
  // arrive.
  const isRefused = isFirst && ageMs >= REFUSED_TIMES * deps.stuckAfterMs;
  if (isBelowBaseFee || isRefused) return { kind: 'stuck' };
  if (seen && views.length < deps.quorum) return unclear('too few providers answer');
  return { kind: 'absent' };
}

/** The same bytes are read at every lookup until they are mined. */
const bidOf = memoize((raw: string) => readTransaction(raw)?.fields.maxFeePerGas ?? 0n);

/** Undefined when no provider answers. */
async function isKnown(views: readonly View[], attempts: readonly Attempt[]): Promise<boolean | undefined> {
  const replies = await Promise.all(
    views.flatMap(({ provider }) =>
      attempts.map(({ hash }) => provider.ask('eth_getTransactionByHash', [hash], readIsKnown)),
    ),
  );
  const known = replies.map(replyValue).filter(value => value !== undefined);
  return known.length === 0 ? undefined : known.includes(true);
}
