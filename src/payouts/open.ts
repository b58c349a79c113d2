// Opens a payout: it gets a slot (nonce) of the sender, which it keeps for ever. Nothing is signed or sent here.
import type { Network } from '../chains/asset.ts';
import type { Chain, Chains } from '../chains/chain.ts';
import type { Queue } from '../jobs/queue.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from '../storage/database.ts';
import { ADVANCE } from './advance-job.ts';
import type { PayoutRequest } from './payout.ts';
import { insertPayout, insertSender, isSenderKnown, takeNonce } from './store.ts';

type Deps = { readonly queue: Queue; readonly chains: Chains };

/** Takes the next slot for a payout and enqueues the job that sends it. The caller holds the row lock of the order. */
export async function openPayout(deps: Deps, tx: Sql, request: PayoutRequest, at: Date): Promise<void> {
  const { network, senders } = chainOf(deps.chains, request.network);
  const [sender] = senders;
  const payout = {
    ...request,
    id: uuidV7(at),
    sender,
    nonce: await takeNonce(tx, network, sender),
    state: 'open',
    confirmations: 0,
    idleLookups: 0,
    attempts: [],
  } as const;
  await insertPayout(tx, payout, at);
  await deps.queue.enqueue(tx, ADVANCE, [{ accountId: payout.accountId, payoutId: payout.id }]);
}

export function chainOf(chains: Chains, network: Network): Chain {
  const chain = chains[network];
  if (!chain) throw new AppError('not_configured', `No chain is configured for ${network}, and orders are on it.`);
  return chain;
}

export function chainSilent(network: Network): AppError {
  return new AppError('chain_unavailable', `No node of ${network} answers; try again.`);
}

/**
 * Whether the next nonce of the sender is stored; if not, asks the chain for it. False if no node answers: then no slot
 * can be taken.
 */
export async function knowsSender(
  { db, chains }: { db: Database; chains: Chains },
  network: Network,
): Promise<boolean> {
  const chain = chainOf(chains, network);
  const [sender] = chain.senders;
  if (await isSenderKnown(db, network, sender)) return true;
  const nonce = await chain.nextNonce(sender);
  if (nonce === undefined) return false;
  await insertSender(db, network, sender, nonce);
  return true;
}
