// Looks the attempts at a transfer up at every node, and concludes what became of them. One node suffices to show that an attempt is mined;
// final, undone or expired needs two that agree, if two are configured.
import type { Block, Sighting, Transfer } from '../chain.ts';
import { type AbsenceProof, openAbsenceProof } from './absence.ts';
import type { TronAsset } from './assets.ts';
import type { AttemptFacts } from './attempt-bytes.ts';
import { isPastAll, showsNone } from './expiry.ts';
import type { Node } from './nodes.ts';
import { type Found, type View, viewOf } from './view.ts';

export type Question = {
  readonly transfer: Transfer;
  readonly asset: TronAsset;
  /** In the order in which they were signed. */
  readonly attempts: readonly AttemptFacts[];
  readonly seen?: Block | undefined;
};

/** `absence`: how a single node proves that an attempt was never executed. */
export async function lookUp(
  nodes: readonly Node[],
  question: Question,
  absence = openAbsenceProof(),
): Promise<Sighting> {
  const { transfer, asset, attempts, seen } = question;
  const asked = await Promise.all(nodes.map(node => viewOf(node, transfer, asset, attempts)));
  const views = asked.flatMap(({ failure, ...view }) => (failure === undefined && 'value' in view ? [view.value] : []));
  const failures = asked.flatMap(({ failure }) => failure ?? []);
  if (views.length === 0) return silent(failures.join('; '));
  const witnesses = Math.min(2, nodes.length);
  if (views.some(({ found }) => found.length > 0)) return mined(views, witnesses);
  const objection = seen && (await stillThere(views, seen, witnesses));
  if (objection !== undefined) return unclear(objection);
  return notMined(views, attempts, witnesses, failures, nodes.length === 1 ? absence : undefined);
}

function mined(views: readonly View[], witnesses: number): Sighting {
  const sightings = views.flatMap(view => view.found.map(found => ({ view, found })));
  const solid = sightings.filter(({ found }) => found.isSolid);
  const best = solid[0] ?? sightings[0];
  if (!best) return unclear();
  const { hash, block } = best.found;
  const contradicting = views.find(view => contradicts(view, best.found));
  if (contradicting) return unclear(`${contradicting.node.name} does not show what ${best.view.node.name} shows`);
  const confirmations = Math.max(best.view.head.number - block.number + 1, 1);
  const { isSolid } = best.found;
  return {
    kind: 'mined',
    hash,
    block,
    // A transfer is done only in the solidified chain, no matter how many blocks are above it.
    confirmations: isSolid ? Math.max(confirmations, SOLID_DEPTH) : Math.min(confirmations, SOLID_DEPTH - 1),
    isFinal: views.filter(view => isSolidIn(view, best.found)).length >= witnesses,
    ...together(best.view.found),
  };
}

/** The confirmations at which a transfer is done: nineteen of the 27 producers have built upon its block. */
export const SOLID_DEPTH = 19;

/**
 * Whether a node shows something else of a solidified attempt: in its own solidified chain, or at a height that this chain has
 * reached. A block above the solidified chains of all other nodes must not decide alone.
 */
function contradicts(view: View, attempt: Found): boolean {
  if (!attempt.isSolid) return false;
  const hasReached = view.solid.number >= attempt.block.number;
  const other = view.found.find(found => found.hash === attempt.hash);
  if (!other) return hasReached;
  return (hasReached || other.isSolid) && !isSame(other, attempt);
}

/** Everything that is recorded of it: the fee goes into the books as well. */
function isSame(a: Found, b: Found): boolean {
  const isOneTransfer = a.hash === b.hash && a.block.hash === b.block.hash && a.outcome === b.outcome;
  return isOneTransfer && a.leftUnits === b.leftUnits && a.feeUnits === b.feeUnits;
}

/** Whether the node shows the same of the attempt in its solidified chain, and everything else it shows is solidified too. */
function isSolidIn({ found }: View, attempt: Found): boolean {
  return found.some(each => isSame(each, attempt)) && found.every(({ isSolid }) => isSolid);
}

/** If several attempts were executed all the same, what left is their sum. */
function together(found: readonly Found[]): Pick<Found, 'outcome' | 'leftUnits' | 'feeUnits'> {
  const leftUnits = found.reduce((sum, each) => sum + each.leftUnits, 0n);
  const feeUnits = found.reduce((sum, each) => sum + each.feeUnits, 0n);
  const moved = found.filter(each => each.leftUnits > 0n);
  const outcome = moved.length > 1 ? 'mismatched' : (moved[0] ?? found[0])!.outcome;
  return { outcome, leftUnits, feeUnits };
}

/** Why the block in which an attempt was seen is not known to be undone; undefined when enough nodes have another in its place. */
async function stillThere(views: readonly View[], seen: Block, witnesses: number): Promise<string | undefined> {
  const blocks = await Promise.all(views.map(({ node }) => node.block('wallet', seen.number)));
  const shown = blocks.flatMap(block => ('value' in block && block.value !== 'absent' ? [block.value] : []));
  if (shown.length === 0) return `no node shows a block at height ${seen.number}, where the transfer was seen`;
  if (shown.some(({ id }) => id === seen.hash)) {
    return `the block ${seen.number} is there, but the transfer seen in it is not shown`;
  }
  return shown.length < witnesses
    ? `too few nodes show the block ${seen.number} that replaced that of the transfer`
    : undefined;
}

async function notMined(
  views: readonly View[],
  attempts: readonly AttemptFacts[],
  witnesses: number,
  failures: readonly string[],
  absence: AbsenceProof | undefined,
): Promise<Sighting> {
  const newest = attempts.at(-1);
  if (!newest) return { kind: 'absent' };
  const past = views.filter(view => isPastAll(view, attempts));
  if (past.length >= witnesses) return expired(past, attempts, witnesses, absence);
  if (past.length > 0) {
    return unclear(
      ['all attempts have expired, but not all nodes show that none was executed', ...failures].join('; '),
    );
  }
  // Too late to be sent again, but perhaps in a block that is not solidified yet.
  if (views.every(({ head }) => head.timeMs >= newest.expirationMs)) return { kind: 'pending' };
  return { kind: views.some(({ isWaiting }) => isWaiting) ? 'pending' : 'absent' };
}

async function expired(
  views: readonly View[],
  attempts: readonly AttemptFacts[],
  witnesses: number,
  absence: AbsenceProof | undefined,
): Promise<Sighting> {
  const shown = await Promise.all(views.map(view => showsNone(view, attempts, absence)));
  const showing = views.find((_, index) => shown[index]?.failure === undefined && shown[index]?.value === false);
  if (showing)
    return unclear(
      `a block has an attempt that the index of ${showing.node.name} does not show, or did not show before`,
    );
  const agreeing = shown.filter(({ failure }) => failure === undefined).length;
  if (agreeing >= witnesses) return { kind: 'stuck' };
  return silent(shown.flatMap(({ failure }) => failure ?? []).join('; '));
}

function silent(message: string): Sighting {
  return { kind: 'unknown', ...(message !== '' && { message }) };
}

/** Nodes answered, but what they said does not allow a conclusion. */
function unclear(message?: string): Sighting {
  return { kind: 'unknown', isAnswered: true, ...(message !== undefined && { message }) };
}
