// Applies the result of a chain lookup to a payout, and derives the news for its owner. Pure.
import type { Chain, Sighting } from '../../chains/chain.ts';
import type { Payout, UnsignedReason } from '../payout.ts';

/** What a lookup means for the owner of the payout. `message`: the text of nodes or the signer, for an operator. */
export type PayoutNews =
  /** No node answered. */
  | { readonly kind: 'no_answer'; readonly message?: string | undefined }
  /** The chain has not mined the transfer; a replacement with a higher fee was sent. */
  | { readonly kind: 'stuck'; readonly message?: string | undefined }
  /** The same, and no further replacement is signed: the newest was sent again. */
  | { readonly kind: 'exhausted'; readonly message?: string | undefined }
  /** The chain answered, and the outcome is open. */
  | { readonly kind: 'in_progress'; readonly isMined: boolean; readonly message?: string | undefined }
  /** The transfer has enough confirmations. */
  | { readonly kind: 'done' }
  /** A reorganisation undid a transfer that was done; the same bytes are sent again. */
  | { readonly kind: 'undone' }
  /** Mined for good without effect: the slot is used up. */
  | { readonly kind: 'reverted' }
  /** Mined for good, and another amount or address received crypto than was asked for. */
  | { readonly kind: 'mismatched' }
  /** No transfer may or can be signed for the slot. */
  | { readonly kind: 'unsigned'; readonly reason: UnsignedReason; readonly message: string }
  /** What kept a transfer from being signed has ended. */
  | { readonly kind: 'signable'; readonly message?: string | undefined }
  /** The slot was given up, and is used up for good with nothing moved. `reason`: why, unless an operator did it. */
  | { readonly kind: 'voided'; readonly reason?: UnsignedReason }
  /** The slot was used up by bytes that the service did not sign. */
  | { readonly kind: 'taken' };

/** What this run of the job did besides the lookup. */
export type Run = {
  readonly isExhausted?: boolean;
  readonly message?: string | undefined;
  /** When it handed bytes to the nodes. */
  readonly sentAt?: Date;
  /** Whether these bytes were new. */
  readonly isNew?: boolean;
  /** Why it signed no transfer for a slot without one, and whether the slot is given up for it. */
  readonly unsigned?: { readonly reason: UnsignedReason; readonly message: string; readonly isGivenUp: boolean };
};

type Sighted = { readonly payout: Payout; readonly news: PayoutNews };

type Mined = Extract<Sighting, { readonly kind: 'mined' }>;
type Facts = Pick<Chain, 'depth' | 'signVoid'>;

export function sighted(payout: Payout, sighting: Sighting, chain: Facts, now: Date, run: Run = {}): Sighted {
  if (sighting.kind === 'mined') return mined(payout, sighting, chain);
  if (run.unsigned) return unsigned(payout, sighting.kind, run.unsigned, now);
  return isVoided(payout, sighting, chain, now) ? voided(payout, sighting.kind) : notMined(payout, sighting.kind, run);
}

function mined({ leftUnits: foundLeft, ...payout }: Payout, sighting: Mined, { depth }: Facts): Sighted {
  const { hash, block, confirmations, isFinal, feeUnits } = sighting;
  const inProgress = { kind: 'in_progress', isMined: true } as const;
  const isSameBlock = payout.block?.hash === block.hash;
  // A mismatch that balances have shown counts, even if nodes no longer keep them when the block is final.
  const isFound = isSameBlock && foundLeft !== undefined && sighting.outcome === 'transferred';
  const { outcome, leftUnits } = isFound ? { outcome: 'mismatched' as const, leftUnits: foundLeft } : sighting;
  // A node that lags shows the same block with fewer confirmations. That undoes nothing.
  if (isSameBlock && confirmations < payout.confirmations) {
    const kept = foundLeft !== undefined && { leftUnits: foundLeft };
    const idle = { idleLookups: payout.idleLookups + 1, lastSighting: 'mined' } as const;
    return { payout: { ...payout, ...kept, ...idle }, news: inProgress };
  }
  const isNew = confirmations !== payout.confirmations || hash !== payout.hash || !isSameBlock;
  const idleLookups = isNew ? 0 : payout.idleLookups + 1;
  const seen: Payout = { ...payout, hash, block, confirmations, idleLookups, lastSighting: 'mined' };
  const undecided: Sighted = { payout: seen, news: payout.state === 'done' ? { kind: 'undone' } : inProgress };
  if (confirmations < depth) return undecided;
  if (outcome === 'transferred') {
    if (isFinal) return { payout: { ...seen, state: 'final', feeUnits }, news: { kind: 'done' } };
    return { payout: { ...seen, state: 'done', feeUnits: payout.feeUnits ?? feeUnits }, news: { kind: 'done' } };
  }
  const left = outcome === 'mismatched' && { leftUnits };
  // A second transfer is allowed only when no reorganisation can undo this one.
  if (!isFinal) return { ...undecided, payout: { ...seen, ...left } };
  const news = outcome === 'voided' ? voidedNews(payout.unsignedReason) : { kind: outcome };
  return { payout: { ...seen, state: outcome, feeUnits, ...left }, news };
}

/** A lookup follows the request at once; the next one that sees a used slot comes minutes later. */
const TAKEN_FOR_MS = 2 * 60_000;

/**
 * A slot that was given up is void when another transaction has used it, or on a chain where unused slots block no others. Two lookups,
 * minutes apart, must show it as used: behind a load balancer, one node may count a transfer whose receipt another does not have yet.
 */
function isVoided(
  { voidRequestedAt, lastSighting }: Payout,
  { kind }: Sighting,
  { signVoid }: Facts,
  now: Date,
): boolean {
  if (voidRequestedAt === undefined) return false;
  if (kind === 'stuck') return !signVoid;
  const isLongAgo = now.getTime() - voidRequestedAt.getTime() >= TAKEN_FOR_MS;
  return kind === 'taken' && lastSighting === 'taken' && isLongAgo;
}

function voided(payout: Payout, lastSighting: Sighting['kind']): Sighted {
  const { unsignedReason, ...rest } = withoutBlock(payout);
  // Another transaction used the slot, perhaps one of this service before its database went back: a person looks before another transfer.
  const reason = lastSighting === 'taken' ? undefined : unsignedReason;
  return { payout: { ...rest, state: 'voided', lastSighting, ...kept(reason) }, news: voidedNews(reason) };
}

function kept(unsignedReason: UnsignedReason | undefined): Pick<Payout, 'unsignedReason'> {
  return unsignedReason ? { unsignedReason } : {};
}

function voidedNews(reason: UnsignedReason | undefined): PayoutNews {
  return { kind: 'voided', ...(reason && { reason }) };
}

function unsigned(
  payout: Payout,
  lastSighting: Sighting['kind'],
  { reason, message, isGivenUp }: NonNullable<Run['unsigned']>,
  now: Date,
): Sighted {
  const isKnown = payout.unsignedReason === reason && !isGivenUp;
  const idleLookups = isKnown ? payout.idleLookups + 1 : 0;
  const after: Payout = { ...payout, idleLookups, lastSighting, unsignedReason: reason };
  return {
    payout: isGivenUp ? { ...after, voidRequestedAt: now } : after,
    news: { kind: 'unsigned', reason, message },
  };
}

/** A refusal of the transfer itself ends only with a signature: when it is not repeated, a node may just not have answered. */
function isSignable({ unsignedReason, voidRequestedAt, attempts }: Payout): boolean {
  if (unsignedReason === undefined || voidRequestedAt) return false;
  return attempts.length > 0 || unsignedReason !== 'transfer_refused';
}

function notMined(payout: Payout, kind: Exclude<Sighting['kind'], 'mined'>, run: Run): Sighted {
  const { isExhausted, isNew, message } = run;
  // New bytes may be in the next block.
  const idleLookups = isNew ? 0 : payout.idleLookups + 1;
  const idle: Payout = { ...payout, idleLookups, lastSighting: kind };
  if (kind === 'unknown') return { payout: idle, news: { kind: 'no_answer', message } };
  // The block with the transfer is no longer part of the chain.
  const unmined = withoutBlock(idle);
  if (kind === 'taken') return { payout: unmined, news: { kind: 'taken' } };
  if (payout.state === 'done') return { payout: unmined, news: { kind: 'undone' } };
  if (kind === 'stuck') return { payout: unmined, news: { kind: isExhausted ? 'exhausted' : 'stuck', message } };
  if (isSignable(payout)) {
    const { unsignedReason: _, ...signable } = unmined;
    return { payout: { ...signable, idleLookups: 0 }, news: { kind: 'signable', message } };
  }
  // The chain answers again: reset the backoff.
  const isBack = payout.lastSighting === 'unknown';
  const news = { kind: 'in_progress', isMined: false, message } as const;
  return { payout: isBack ? { ...unmined, idleLookups: 0 } : unmined, news };
}

function withoutBlock({ block: _, ...payout }: Payout): Payout {
  return { ...payout, confirmations: 0 };
}
