// Resumes a sender that was halted because its key was used elsewhere, or because the books are older than the chain. Only an operator may
// do so, once the key is safe and every transfer that left is in the books. Used slots are skipped: a payout in one of them would be held
// at once.
import type { Network } from '../../chains/asset.ts';
import type { Chain, Chains } from '../../chains/chain.ts';
import type { Queue } from '../../jobs/queue.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../storage/database.ts';
import { transferSubject } from '../compare/explanation.ts';
import { objectionsTo } from '../compare/unknown-transfers.ts';
import { ADVANCE } from '../jobs.ts';
import type { OwnerRecords } from '../owner.ts';
import { takeTaken } from '../store/due.ts';
import { insertExplanation } from '../store/explanations.ts';
import { acknowledgeTaken } from '../store/older-books.ts';
import { findSender, resumeSender, type Sender } from '../store/senders.ts';
import { judgeCounts } from './foreign-slots.ts';
import { wakeLine } from './wake.ts';

type Deps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly chains: Chains;
  readonly clock: Clock;
  readonly log: Log;
  readonly payoutOwner: OwnerRecords;
};

const DESPITE = 'The sender was resumed despite this transfer.';

/**
 * Returns how many slots are skipped; undefined when the sender was not halted. Refuses while the chain shows transfers of the sender that
 * are not in the books, except those whose hashes `despite` names, which count as explained from then on; and while used slots are not in
 * a final block yet.
 */
export async function resumeHaltedSender(
  deps: Deps,
  network: Network,
  sender: string,
  despite: readonly string[] = [],
): Promise<number | undefined> {
  const known = await findSender(deps.db, network, sender);
  if (!known?.haltedAt) return undefined;
  const chain = deps.chains[network];
  const usedSlots = chain?.usedSlots ? await readUsedSlots(chain, sender) : 0n;
  if (despite.length > 0) await explain(deps, known, despite);
  if (chain) await requireKnown(deps, chain, known, known.haltedAt, usedSlots);
  const passed = await deps.db.transaction(async tx => {
    setAuditObject(sender);
    const slots = await resumeSender(tx, network, sender, usedSlots);
    if (slots === undefined) return undefined;
    await wakeLine(deps, tx, network);
    await acknowledgeTaken(tx, network, sender, usedSlots, deps.clock.now());
    // Lookups of transfers believed lost are minutes or hours apart, and nodes may show them now.
    await deps.queue.enqueue(tx, ADVANCE[network], await takeTaken(tx, network, sender));
    return slots;
  });
  if (passed) deps.log.warn('a sender continues after slots that were used elsewhere', { network, count: passed });
  return passed;
}

/** Without a chain the sender gives out no slots; it is watched again once the chain is back. */
async function readUsedSlots({ network, usedSlots }: Chain, sender: string): Promise<bigint> {
  const used = await usedSlots?.(sender);
  if (used !== undefined) return used;
  throw new AppError(
    'chain_unavailable',
    `Too few nodes of ${network} report which slots of the sender are used; try again.`,
  );
}

/** Records the explanation of a person who has looked at the transfer; it stays even if the sender is not resumed. */
async function explain({ db, clock }: Deps, { network, sender }: Sender, despite: readonly string[]): Promise<void> {
  await db.transaction(async tx => {
    setAuditObject(sender);
    for (const hash of despite) {
      await insertExplanation(tx, { network, sender, subject: transferSubject(hash), note: DESPITE }, clock.now());
    }
  });
}

/** Requires that every transfer that left is in the books or explained by a person. */
async function requireKnown(
  deps: Deps,
  chain: Chain,
  sender: Sender,
  haltedAt: Date,
  usedSlots: bigint,
): Promise<void> {
  const { nextNonce } = sender;
  const passed = usedSlots > nextNonce ? usedSlots : nextNonce;
  const counts = await chain.slotCounts?.(sender.sender);
  const verdict = counts && judgeCounts(counts, passed);
  if (verdict && verdict.kind !== 'go') {
    throw new AppError(
      'wrong_state',
      `The sender would be halted again: no final block has all of its transactions yet. ${verdict.message} Try again once they are final.`,
    );
  }
  const objections = await objectionsTo(deps, chain, sender, { haltedAt, used: usedSlots });
  if (objections === 'silent') {
    throw new AppError(
      'chain_unavailable',
      `No node of ${chain.network} shows all transfers of the sender, to compare with the books; try again.`,
    );
  }
  if (objections.length === 0) return;
  throw new AppError(
    'wrong_state',
    `Not every transfer of the sender is in the books. ${objections.join(' ')} Settle each transaction that was paid (trilho payouts settle <transaction id> --as paid --hash <hash>), explain other transfers (trilho ledger explain), then resume.`,
  );
}
