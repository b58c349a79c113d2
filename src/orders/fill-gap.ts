// Fills the gap in the slots of a sender with transactions that move nothing, so that those after it are mined. Each is a payout of its
// own: opened here, signed, saved and sent by the service, whatever is killed in between. Only an operator may start it.
import { type Network, symbolsOn } from '../chains/asset.ts';
import type { Chains } from '../chains/chain.ts';
import type { Queue } from '../jobs/queue.ts';
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { traceOf } from '../lib/tracing.ts';
import { firstUnused } from '../payouts/gap.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { chainOf, chainSilent } from '../payouts/open.ts';
import type { Payout } from '../payouts/payout.ts';
import { findGap, insertGapFills, readOpenFills } from '../payouts/store-gaps.ts';
import { findSender, lockSender } from '../payouts/store-senders.ts';
import type { Database } from '../storage/database.ts';
import { insertTraces } from '../storage/object-traces.ts';

export type FillGapDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly chains: Chains;
  /** Whose payouts the fills are. */
  readonly operatorAccountId: string;
};

/**
 * Returns the fills that are on their way then. Repeated it adds what is still missing. Refuses when nothing is, and where unused slots
 * block no other.
 */
export async function fillGap(
  deps: FillGapDeps,
  { network, by }: { readonly network: Network; readonly by: string },
): Promise<Payout[]> {
  const chain = chainOf(deps.chains, network);
  const [address] = chain.senders;
  if (!chain.slotCounts || !chain.signVoid) {
    throw new AppError('wrong_state', `On ${network} a slot that is not used blocks no other.`);
  }
  const counts = await chain.slotCounts(address);
  const from = firstUnused(counts);
  if (from === undefined) throw chainSilent(network);
  return deps.db.transaction(async tx => {
    setAuditObject(address);
    const sender = await findSender(tx, network, address);
    if (sender) await lockSender(tx, sender);
    const missing = sender ? await findGap(tx, network, address, from) : [];
    const before = await readOpenFills(tx, network, address);
    if (missing.length === 0 && before.length === 0) {
      throw new AppError('wrong_state', `The slots of ${address} on ${network} have no gap.`);
    }
    const at = deps.clock.now();
    const symbol = symbolsOn(network)[0]!;
    const fills = missing.map(
      (nonce): Payout => ({
        id: uuidV7(at),
        accountId: deps.operatorAccountId,
        sweptBy: by,
        isGapFill: true,
        network,
        symbol,
        units: 0n,
        destination: address,
        sender: address,
        nonce,
        state: 'open',
        confirmations: 0,
        idleLookups: 0,
        attempts: [],
        place: chain.placeOf(symbol),
        voidRequestedAt: at,
        createdAt: at,
        updatedAt: at,
      }),
    );
    if (fills.length > 0) await insertGapFills(tx, fills, at, at);
    for (const { id } of fills) await insertTraces(tx, [traceOf(id, at)]);
    await deps.queue.enqueue(
      tx,
      ADVANCE[network],
      fills.map(({ id, accountId }) => ({ accountId, payoutId: id })),
    );
    return [...before, ...fills].toSorted((a, b) => (a.nonce < b.nonce ? -1 : 1));
  });
}
