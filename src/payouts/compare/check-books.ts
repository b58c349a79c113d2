// Asks, before a slot is taken, whether the books have everything that left the sender. A database can go back: a standby that took
// over, a snapshot, a copied folder. What was paid since stands in line again, and this check needs no operator.
import type { Chain, OwnTransfer, SlotCounts } from '../../chains/chain.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { judgeCounts, takenMessage, WHAT_TO_DO } from '../line/foreign-slots.ts';
import { requireSender } from '../line/open.ts';
import { transferOf } from '../payout.ts';
import { NO_ANSWER } from '../policy/gate.ts';
import { readExplanations } from '../store/explanations.ts';
import { findUnknown, findUsedWithoutBlock, setUsedElsewhere, type UsedSlot } from '../store/older-books.ts';
import { haltSender, type Sender } from '../store/senders.ts';
import { transferSubject } from './explanation.ts';

type Deps = { readonly db: Database; readonly clock: Clock; readonly log: Log };

/** What the chain shows of a sender; undefined where it was asked and does not answer. */
export type SeenOnChain = {
  readonly counts?: SlotCounts;
  readonly transfers?: readonly OwnTransfer[];
  /** Blocks that must be read cannot be. */
  readonly isBlind: boolean;
};

/** Why no slot is taken now. */
export type Doubt = { readonly kind: 'wait' | 'halt'; readonly message: string };

/** Read before the books, and before anything is locked: what it shows was saved before it was sent. */
export async function seeOnChain(chain: Chain, sender: string): Promise<SeenOnChain> {
  const [counts, transfers] = await Promise.all([chain.slotCounts?.(sender), chain.ownTransfers?.(sender)]);
  return {
    ...(counts && { counts }),
    ...(transfers && { transfers }),
    isBlind: chain.ownTransfers !== undefined && transfers === undefined,
  };
}

/** Nothing shows that the books have all that left the sender: nodes that are asked about one may answer about another. */
export function isSilent({ counts }: SeenOnChain): boolean {
  return counts?.said.length === 0;
}

/** The transactions of a sender that the books must have, or the database has gone back. */
export function hashesOf({ memory }: Chain, sender: string, { transfers = [] }: Partial<SeenOnChain> = {}): string[] {
  return [...new Set([...(memory?.sent(sender) ?? []), ...transfers.map(({ hash }) => hash)])];
}

/** A doubt about the books, if there is one. A sender that must be looked at by a person is halted. */
export async function doubtBooks(
  deps: Deps,
  chain: Chain,
  sender: Sender,
  seen: SeenOnChain,
): Promise<Doubt | undefined> {
  const doubt = await findDoubt(deps, chain, sender, seen);
  if (doubt?.kind !== 'halt') return doubt;
  await haltForBooks(deps, sender, doubt.message);
  return doubt;
}

/**
 * Halts the senders of which the books have lost what this process itself has sent. Each process asks for itself, every few seconds, since
 * a standby may take over while another one takes slots.
 */
export async function haltIfLost(deps: Deps, chain: Chain, senders: readonly string[] = chain.senders): Promise<void> {
  const { network } = chain;
  for (const sender of senders) {
    const [hash] = await unknownOf(deps, { network, sender }, hashesOf(chain, sender));
    if (hash === undefined) continue;
    // The sender itself may have been lost.
    await requireSender(deps.db, chain, sender);
    const { message } = await lostTransfer(chain, sender, hash);
    await haltForBooks(deps, { network, sender }, message);
  }
}

async function haltForBooks(
  { db, clock, log }: Deps,
  { network, sender }: Pick<Sender, 'network' | 'sender'>,
  message: string,
): Promise<void> {
  const isNew = await db.transaction(tx => haltSender(tx, network, sender, clock.now(), message));
  if (isNew) log.error('ALARM: the books do not have what the chain shows; the sender is halted', { network });
}

async function findDoubt(deps: Deps, chain: Chain, sender: Sender, seen: SeenOnChain): Promise<Doubt | undefined> {
  if (seen.isBlind) return { kind: 'wait', message: BLIND };
  const unknown = await unknownOf(deps, sender, hashesOf(chain, sender.sender, seen));
  const [hash] = unknown;
  if (hash !== undefined) return lostTransfer(chain, sender.sender, hash);
  if (!seen.counts) return undefined;
  if (isSilent(seen)) return { kind: 'wait', message: NO_ANSWER };
  const verdict = judgeCounts(seen.counts, sender.nextNonce);
  if (verdict.kind !== 'go') return verdict;
  return sender.openSlots > 0 ? doubtSlots(deps, chain, sender, verdict.used) : undefined;
}

const BLIND =
  'No node shows all blocks of the last minutes, so what left the sender cannot be compared with the books.';

/** Transactions that neither the books have nor an operator has explained. */
export async function unknownOf(
  { db }: { readonly db: Sql },
  { network, sender }: Pick<Sender, 'network' | 'sender'>,
  hashes: readonly string[],
): Promise<string[]> {
  const unknown = await findUnknown(db, hashes);
  if (unknown.length === 0) return [];
  const explanations = await readExplanations(db, network, sender);
  return unknown.filter(hash => !explanations.has(transferSubject(hash)));
}

/** What this process itself has sent is certain; what a node shows is so when enough of them do. */
async function lostTransfer({ memory, isShown }: Chain, sender: string, hash: string): Promise<Doubt> {
  if (memory?.sent(sender).includes(hash)) {
    return {
      kind: 'halt',
      message: `${hash} was sent and is not in the books: the books are older than the chain. ${WHAT_TO_DO}`,
    };
  }
  if (isShown && !(await isShown(hash))) {
    return {
      kind: 'wait',
      message: `A node shows ${hash} of the sender, which is not in the books, and others do not show it.`,
    };
  }
  return {
    kind: 'halt',
    message: `${hash} left the sender and is not in the books: the books are older than the chain, or the key is used elsewhere. ${WHAT_TO_DO}`,
  };
}

/** Nodes that have not indexed their newest block show no receipt either, for seconds. */
const USED_FOR_MS = 60_000;

/** Slots of ours that are used by now: by an attempt of ours that the books will hear of in a moment, or by something else. */
async function doubtSlots(deps: Deps, chain: Chain, sender: Sender, used: bigint): Promise<Doubt | undefined> {
  const slots = await findUsedWithoutBlock(deps.db, sender.network, sender.sender, used);
  const unseen = slots.filter(({ attempts }) => !attempts.some(({ hash }) => chain.memory?.wasMined(hash)));
  const doubts = await Promise.all(unseen.map(slot => doubtSlot(deps, chain, slot)));
  return doubts.find(doubt => doubt?.kind === 'halt') ?? doubts.find(doubt => doubt !== undefined);
}

async function doubtSlot({ db, clock }: Deps, chain: Chain, slot: UsedSlot): Promise<Doubt | undefined> {
  const sighting = await chain.lookup(transferOf(slot), slot.attempts, slot.block);
  const isUsed = sighting.kind === 'taken' || (sighting.kind === 'unknown' && sighting.isUsed === true);
  const { usedElsewhereSince: since, nonce, id } = slot;
  const now = clock.now();
  if (isUsed ? since === undefined : since !== undefined) await setUsedElsewhere(db, slot, isUsed ? now : undefined);
  if (sighting.kind === 'mined') return undefined;
  const isLong = since !== undefined && now.getTime() - since.getTime() >= USED_FOR_MS;
  if (sighting.kind === 'taken' || (isUsed && isLong)) {
    return { kind: 'halt', message: takenMessage(slot) };
  }
  return {
    kind: 'wait',
    message: `The slot ${nonce} of payout ${id} is used, and it is not known yet by which transaction.`,
  };
}
