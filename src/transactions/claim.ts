// The moment crypto is claimed for an order: its money is spoken for, and a slot of the sender becomes its own for ever.
// Nothing is signed or sent here.
import assert from 'node:assert/strict';
import type { Network } from '../chains/asset.ts';
import type { Chain, Chains } from '../chains/chain.ts';
import type { LivingCharge } from '../charges/charge.ts';
import { commitMoney } from '../charges/store-money.ts';
import type { Queue } from '../jobs/queue.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from '../storage/database.ts';
import { insertPayout, isSenderKnown, noteSender, takeNonce } from './store-payouts.ts';
import type { Order } from './transaction.ts';
import { unitsOf } from './write.ts';

type Deps = { readonly queue: Queue; readonly chains: Chains };

/** Opens the payout of an order that becomes `fulfilling`; the rows of order and charge are held. */
export async function openPayout(deps: Deps, tx: Sql, order: Order, charge: LivingCharge, at: Date): Promise<void> {
  assert(order.dueCents !== undefined, 'an order that is paid knows what it was due');
  const { network, sender } = chainOf(deps.chains, order.network);
  await commitMoney(tx, charge, order.dueCents);
  const payout = {
    id: uuidV7(at),
    accountId: order.accountId,
    transactionId: order.id,
    network,
    sender,
    nonce: await takeNonce(tx, network, sender),
    symbol: order.symbol,
    units: unitsOf(order),
    destination: order.walletAddress,
    state: 'open',
    confirmations: 0,
    idleLooks: 0,
    attempts: [],
  } as const;
  await insertPayout(tx, payout, at);
  await deps.queue.enqueue(tx, 'transaction.fulfill', [{ accountId: order.accountId, transactionId: order.id }]);
}

export function chainOf(chains: Chains, network: Network): Chain {
  const chain = chains[network];
  if (!chain) throw new AppError('unavailable', `No chain is configured for ${network}, and orders are on it.`);
  return chain;
}

/** Learns where our sender stands, once. False while nobody answers: then nothing can be claimed. */
export async function knowsSender(
  { db, chains }: { db: Database; chains: Chains },
  network: Network,
): Promise<boolean> {
  const { sender, nextNonce } = chainOf(chains, network);
  if (await isSenderKnown(db, network, sender)) return true;
  const nonce = await nextNonce();
  if (nonce === undefined) return false;
  await noteSender(db, network, sender, nonce);
  return true;
}
