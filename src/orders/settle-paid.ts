// Closes an order that the chain has paid although the books do not have the transfer, because the database is older than the transfer or
// its slot was given up. An operator names the transaction. Its bytes, which the hash proves, and the nodes must show it to be the transfer
// of the order. Then it becomes an attempt of the order's payout, and the engine does the rest.
import assert from 'node:assert/strict';
import { type ApprovalRules, OPERATOR } from '../accounts/approval-rules.ts';
import { missingApprovals } from '../accounts/approvals.ts';
import type { Network } from '../chains/asset.ts';
import type { Attempt, Chain, Place, SentTransfer, Slot } from '../chains/chain.ts';
import { decimalsOf, hashForm, isTransactionHash } from '../chains/networks.ts';
import type { Charge } from '../charges/charge.ts';
import { commitMoney } from '../charges/store/money.ts';
import { formatUnits } from '../lib/decimals.ts';
import { AppError, invalidRequest, noSuch, requireFound } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { ADVANCE } from '../payouts/jobs.ts';
import { chainOf, chainSilent } from '../payouts/line/open.ts';
import { isUnmined, type Payout } from '../payouts/payout.ts';
import { isAboveApproval, type PayoutLimits } from '../payouts/policy/limits.ts';
import {
  findAttemptOwner,
  insertAdopted,
  insertSentAttempt,
  isSlotGiven,
  reopenPayout,
} from '../payouts/store/adopt.ts';
import { findPayout, findPayoutOfOwner } from '../payouts/store/payouts.ts';
import { findSender, insertSender, lockSender, type Sender } from '../payouts/store/senders.ts';
import type { Sql } from '../storage/database.ts';
import { standingOf } from './approvals.ts';
import { requireApprover } from './approver.ts';
import { type FollowDeps, lockChargeOf } from './follow.ts';
import { claimed, holdReasonOf, sentAgain } from './life.ts';
import { moneyOf } from './money.ts';
import type { Order } from './order.ts';
import { requestOf } from './payout-request.ts';
import { findOrder, lockOrder } from './store.ts';
import { unitsOf, writeOrderStep } from './write.ts';

export type SettlePaidDeps = Pick<FollowDeps, 'db' | 'queue' | 'clock' | 'chains' | 'settlement'> & {
  readonly payoutLimits: PayoutLimits;
  readonly approvalRules: ApprovalRules;
};

/** Who settles it, and which transaction paid. */
type PaidElsewhere = {
  readonly hash: string;
  readonly by: string;
  readonly accountId?: string | undefined;
};

/**
 * The order becomes `fulfilling`, then `fulfilled` once the service has looked the transfer up. A repeat changes nothing. Refuses a
 * transaction that is not final, pays another address, asset or amount, comes from an unknown address, or is the transfer of another
 * order; an order that is unpaid, ended or fulfilled, or has another transfer on its way; and, above the limits, those who may not
 * approve it.
 */
export async function settlePaid(deps: SettlePaidDeps, id: string, paid: PaidElsewhere): Promise<Order> {
  const order = requireFound(await findOrder(deps.db, id, paid.accountId), 'crypto transaction');
  const hash = readHash(order.network, paid.hash);
  await requireSecondAbove(deps, order, paid.by);
  if (await isOwnTransfer(deps.db, order, hash)) return order;
  requireUnpaid(order);
  const chain = chainOf(deps.chains, order.network);
  const sent = await readSent(chain, hash);
  const sender = await knownSender(deps, chain, sent.sender);
  requireTransferOf(order, sent);
  await requireFinal(chain, sent);
  return deps.db.transaction(async tx => {
    const { nextNonce } = await lockSender(tx, sender);
    const before = await lockOrder(tx, order.id);
    const charge = before && (await lockChargeOf(tx, before));
    if (!before || !charge) throw noSuch('crypto transaction');
    if (await isOwnTransfer(tx, before, hash)) return before;
    requireUnpaid(before);
    requireTransferOf(before, sent);
    const slot = { network: chain.network, sender: sent.sender, nonce: sent.nonce ?? nextNonce };
    return adopt(deps, tx, { before, charge, sent, slot, place: chain.placeOf(sent.symbol) });
  });
}

/** In lower case, as nodes write it. */
function readHash(network: Network, text: string): string {
  if (isTransactionHash(network, text)) return text.toLowerCase();
  const { form } = hashForm(network);
  throw invalidRequest([
    { path: 'hash', code: 'invalid', message: `must be the hash of a transaction of ${network}: ${form}` },
  ]);
}

/** As for an approval: above the limits, the maker of the order cannot settle it alone. */
async function requireSecondAbove(
  { db, clock, payoutLimits, approvalRules }: SettlePaidDeps,
  order: Order,
  by: string,
): Promise<void> {
  const { groups, isApproved } = await standingOf(db, approvalRules, order, clock.now());
  if (isApproved || by === OPERATOR) return;
  if (groups.length > 0) {
    throw new AppError('second_key_needed', `This order is settled once it is approved: ${missingApprovals(groups)}`);
  }
  if (!isAboveApproval(payoutLimits, requestOf(order), unitsOf(order))) return;
  await requireApprover(db, by, order, 'settle it above its limits');
}

/** Whether the books already have the transaction as a transfer of this order. Refuses that of another order. */
async function isOwnTransfer(sql: Sql, { id }: Order, hash: string): Promise<boolean> {
  const owner = await findAttemptOwner(sql, hash);
  if (!owner) return false;
  if (owner.ownerId !== id) throw new AppError('wrong_state', 'This transaction is the transfer of another payout.');
  return owner.state !== 'voided' && owner.state !== 'reverted';
}

function requireUnpaid({ status, hold, ended, settledAs }: Order): void {
  const isFulfilled = status === 'fulfilled' && !hold;
  const isPaid = status !== 'pending_payment' && !ended && !settledAs;
  if (isPaid && !isFulfilled && hold?.reason !== 'transfer_mismatched') return;
  throw new AppError('wrong_state', 'This order is not waiting for a transfer.');
}

async function readSent(chain: Chain, hash: string): Promise<SentTransfer> {
  const sent = await chain.readTransfer(hash);
  if (!sent) throw chainSilent(chain.network);
  if (sent !== 'absent') return sent;
  throw new AppError('wrong_state', `This transaction has no transfer in any block of ${chain.network}.`);
}

/** The sender in the books; one that is only in the settings is stored. */
async function knownSender({ db }: SettlePaidDeps, chain: Chain, address: string): Promise<Sender> {
  const { network, senders } = chain;
  const known = await findSender(db, network, address);
  if (known) return known;
  if (!senders.includes(address)) {
    throw new AppError('wrong_state', `The transaction is from ${address}, which is not a sender of this service.`);
  }
  const nonce = await chain.nextNonce(address);
  if (nonce === undefined) throw chainSilent(network);
  await insertSender(db, network, address, nonce);
  const stored = await findSender(db, network, address);
  assert(stored, 'the sender was stored');
  return stored;
}

/** Clocks of the network and of this service differ a little. */
const CLOCK_MARGIN_MS = 300_000;

function requireTransferOf(order: Order, { symbol, units, to, sentAt }: SentTransfer): void {
  const { network, walletAddress } = order;
  if (sentAt.getTime() < order.createdAt.getTime() - CLOCK_MARGIN_MS) {
    throw new AppError('wrong_state', 'The transaction is older than the order.');
  }
  if (symbol === order.symbol && units === unitsOf(order) && to === walletAddress) return;
  const moved = `${formatUnits(units, decimalsOf(symbol, network))} ${symbol} to ${to}`;
  const asked = `${order.quantity} ${order.symbol} to ${walletAddress}`;
  throw new AppError('wrong_state', `The transaction moves ${moved}, and the order is for ${asked}.`);
}

/** Requires that the nodes agree that it was mined, in a final block. */
async function requireFinal(chain: Chain, sent: SentTransfer): Promise<void> {
  const { sender, nonce = 0n, symbol, units, to } = sent;
  const transfer = { slot: { network: chain.network, sender, nonce }, symbol, units, to };
  const sighting = await chain.lookup(transfer, [attemptOf(sent, 1)]);
  if (sighting.kind === 'unknown') {
    const message = sighting.message === undefined ? 'no node answers' : sighting.message;
    throw new AppError(
      'chain_unavailable',
      `The transfer cannot be looked up on ${chain.network}: ${message}; try again.`,
    );
  }
  if (sighting.kind !== 'mined')
    throw new AppError('wrong_state', 'The nodes do not show this transaction in a block.');
  if (sighting.outcome !== 'transferred') {
    throw new AppError('wrong_state', `The nodes show this transaction as ${sighting.outcome}.`);
  }
  if (!sighting.isFinal) throw new AppError('wrong_state', 'This transaction is not final yet; try again later.');
}

function attemptOf({ hash, raw, sentAt }: SentTransfer, number: number): Attempt {
  return { number, kind: 'transfer', hash, raw, signedAt: sentAt };
}

type Adoption = {
  readonly before: Order;
  readonly charge: Charge;
  readonly sent: SentTransfer;
  readonly slot: Slot;
  readonly place: Place;
};

/** The caller holds the locks of senders, order and charge. */
async function adopt(deps: SettlePaidDeps, tx: Sql, adoption: Adoption): Promise<Order> {
  const { before, charge, sent } = adoption;
  const now = deps.clock.now();
  const newest = await findPayoutOfOwner(tx, before.id, before.accountId);
  if (newest && isUnmined(newest)) {
    // Its slot was used by an attempt that the books do not have.
    if (!isSameSlot(newest, sent)) {
      throw new AppError('wrong_state', 'This order has another transfer on its way; give that up first.');
    }
    await insertSentAttempt(tx, newest, attemptOf(sent, newest.attempts.length + 1));
    await reopenPayout(tx, newest, now);
    await wake(deps, tx, newest);
    return before;
  }
  const own = await findAttemptOwner(tx, sent.hash);
  const given = own && (await findPayout(tx, own.payoutId, before.accountId));
  const payout = given ?? (await openSent(tx, adoption, now));
  if (given) await reopenPayout(tx, given, now);
  const after = await claim(deps, tx, before, charge, now);
  await wake(deps, tx, payout);
  return after;
}

function isSameSlot({ sender, nonce }: Payout, sent: SentTransfer): boolean {
  return sent.nonce === nonce && sent.sender === sender;
}

/** The order counts as sent, and its money can no longer be refunded. */
async function claim(deps: SettlePaidDeps, tx: Sql, before: Order, charge: Charge, now: Date): Promise<Order> {
  if (holdReasonOf(before, moneyOf(charge, before.dueCents ?? charge.payableCents))) {
    throw new AppError('wrong_state', 'The money of this order does not match its price.');
  }
  const again = before.hold ? await writeOrderStep(tx, before, sentAgain(before, now), now) : before;
  const context = { charge, rules: deps.settlement, now, newId: () => uuidV7(now) };
  const after = await writeOrderStep(tx, again, claimed(again, context), now);
  assert(after.dueCents !== undefined, 'a paid order has dueCents');
  await commitMoney(tx, [{ charge, cents: after.dueCents }]);
  return after;
}

async function openSent(tx: Sql, { before, sent, slot, place }: Adoption, now: Date): Promise<Payout> {
  if (await isSlotGiven(tx, slot)) {
    throw new AppError(
      'wrong_state',
      `Slot ${slot.nonce}, which this transaction used, belongs to another payout; give that up first.`,
    );
  }
  const payout: Payout = {
    ...requestOf(before),
    id: uuidV7(now),
    sender: slot.sender,
    nonce: slot.nonce,
    state: 'open',
    confirmations: 0,
    idleLookups: 0,
    attempts: [],
    place,
    sentAt: sent.sentAt,
    createdAt: now,
    updatedAt: now,
  };
  await insertAdopted(tx, payout, attemptOf(sent, 1), now);
  return payout;
}

function wake({ queue }: SettlePaidDeps, tx: Sql, { id, accountId, network }: Payout): Promise<void> {
  return queue.enqueue(tx, ADVANCE[network], [{ accountId, payoutId: id }]);
}
