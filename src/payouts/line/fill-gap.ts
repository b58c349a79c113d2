// Fills the gaps in the slots of the senders of a network with transactions that move nothing, so that those after them are mined. Each is
// a separate payout: opened here, then signed, saved and sent by the service, even if it is killed in between. Only an operator may start it.
import { type Network, symbolsOn } from '../../chains/asset.ts';
import { activeSendersOf, type Chain, type Chains } from '../../chains/chain.ts';
import type { Queue } from '../../jobs/queue.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { traceOf } from '../../lib/tracing.ts';
import type { Database } from '../../storage/database.ts';
import { insertTraces } from '../../storage/object-traces.ts';
import { ADVANCE } from '../jobs.ts';
import type { Payout } from '../payout.ts';
import { findGap, insertGapFills, readOpenFills } from '../store/gaps.ts';
import { lockNetwork } from '../store/senders.ts';
import { firstUnused } from './gap.ts';
import { chainOf, chainSilent } from './open.ts';

type FillGapDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly chains: Chains;
  /** The owner of these payouts. */
  readonly operatorAccountId: string;
};

/**
 * Returns the fills that are on their way. A repeat adds what is still missing. Refuses when there is no gap, and on networks where unused
 * slots block nothing.
 */
export async function fillGap(
  deps: FillGapDeps,
  { network, by }: { readonly network: Network; readonly by: string },
): Promise<Payout[]> {
  const chain = chainOf(deps.chains, network);
  const { slotCounts, signVoid } = chain;
  if (!slotCounts || !signVoid) {
    throw new AppError('wrong_state', `On ${network} an unused slot does not block others.`);
  }
  const asked = activeSendersOf(chain).map(async address => ({
    address,
    from: firstUnused(await slotCounts(address)),
  }));
  const counted = await Promise.all(asked);
  const known = counted.flatMap(({ address, from }) => (from === undefined ? [] : [{ address, from }]));
  if (known.length === 0) throw chainSilent(network);
  return deps.db.transaction(async tx => {
    await lockNetwork(tx, network);
    const at = deps.clock.now();
    const before: Payout[] = [];
    const fills: Payout[] = [];
    for (const { address, from } of known) {
      before.push(...(await readOpenFills(tx, network, address)));
      const missing = await findGap(tx, network, address, from);
      fills.push(...missing.map(nonce => fillOf(deps, chain, { address, nonce, by, at })));
    }
    const all = [...before, ...fills];
    if (all.length === 0) {
      if (known.length < counted.length) throw chainSilent(network);
      const whose = known.map(({ address }) => address).join(', ');
      throw new AppError('wrong_state', `The slots of ${whose} on ${network} have no gap.`);
    }
    setAuditObject([...new Set(all.map(({ sender }) => sender))].join(' '));
    if (fills.length > 0) await insertGapFills(tx, fills, at, at);
    for (const { id } of fills) await insertTraces(tx, [traceOf(id, at)]);
    await deps.queue.enqueue(
      tx,
      ADVANCE[network],
      fills.map(({ id, accountId }) => ({ accountId, payoutId: id })),
    );
    return all.toSorted((a, b) => a.sender.localeCompare(b.sender) || (a.nonce < b.nonce ? -1 : 1));
  });
}

type Fill = { readonly address: string; readonly nonce: bigint; readonly by: string; readonly at: Date };

function fillOf({ operatorAccountId }: FillGapDeps, chain: Chain, { address, nonce, by, at }: Fill): Payout {
  const { network } = chain;
  const symbol = symbolsOn(network)[0]!;
  return {
    id: uuidV7(at),
    accountId: operatorAccountId,
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
  };
}
