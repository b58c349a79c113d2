// Checks, before a slot is taken, that the books have everything that left the sender. A database can go back in time: a standby that
// took over, a snapshot, a copied folder. Then paid owners are in line again, and this check stops them without an operator.
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

/** What the chain shows of a sender; undefined where it did not answer. */
export type SeenOnChain = {
  readonly counts?: SlotCounts;
  readonly transfers?: readonly OwnTransfer[];
  /** Required blocks cannot be read. */
  readonly isBlind: boolean;
};

/** Why no slot may be taken now. */
type Doubt = { readonly kind: 'wait' | 'halt'; readonly message: string };

/** Read before the books, and before anything is locked: bytes are saved before they are sent. */
export async function seeOnChain(chain: Chain, sender: string): Promise<SeenOnChain> {
  const [counts, transfers] = await Promise.all([chain.slotCounts?.(sender), chain.ownTransfers?.(sender)]);
  return {
    ...(counts && { counts }),
    ...(transfers && { transfers }),
    isBlind: chain.ownTransfers !== undefined && transfers === undefined,
  };
}

/** Without any answer, nothing shows that the books are complete: nodes that did not answer one question may answer another. */
export function isSilent({ counts }: SeenOnChain): boolean {
  return counts?.said.length === 0;
}

/** The transactions of a sender that the books must have; otherwise the database has gone back. */
export function hashesOf({ memory }: Chain, sender: string, { transfers = [] }: Partial<SeenOnChain> = {}): string[] {
  return [...new Set([...(memory?.sent(sender) ?? []), ...transfers.map(({ hash }) => hash)])];
}

/** A doubt about the books, if any. A sender that needs a person is halted. */
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
 * Halts senders whose books have lost what this process itself has sent. Each process checks its own, every few seconds, since a
 * standby may take over while another process takes slots.
 */
export async function haltIfLost(deps: Deps, chain: Chain, senders: readonly string[] = chain.senders): Promise<void> {
  const { network } = chain;
  for (const sender of senders) {
    const [hash] = await unknownOf(deps, { network, sender }, hashesOf(chain, sender));
    if (hash === undefined) continue;
    // The row of the sender itself may have been lost.
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

/** Transactions that are not in the books and were not explained by an operator. */
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

/** What this process itself has sent is certain; what nodes show is certain when a quorum does. */
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

/** Nodes that have not indexed their newest block show no receipts for some seconds. */
const USED_FOR_MS = 60_000;

/** Our slots that are used by now: by an attempt that a lookup will record in a moment, or by something else. */
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
    message: `The slot ${nonce} of payout ${id} is used, but it is not yet known by which transaction.`,
  };
}
