// An order as the API and its events show it: the fields of the list, the same numbers as exact text, and what stands beside.
import type { approvalsView } from '../accounts/approvals.ts';
import type { Charge } from '../charges/charge.ts';
import type { Links } from '../charges/links/links.ts';
import { chargeView } from '../charges/view.ts';
import { exactNumber, formatUnits } from '../lib/decimals.ts';
import type { Payout } from '../payouts/payout.ts';
import type { Order } from './order.ts';
import type { TimelineEntry } from './store.ts';

const CENT_DECIMALS = 2;

/** What the detail of an order shows besides the order. */
type OrderDetailParts = {
  readonly charge?: Charge | undefined;
  readonly payout?: Payout | undefined;
  readonly confirmationsNeeded?: number | undefined;
  readonly approvals?: ReturnType<typeof approvalsView>;
  readonly timeline: readonly TimelineEntry[];
};

/** An order with its charge, its transfer and its events. */
export function orderDetail(
  links: Links,
  order: Order,
  { charge, payout, confirmationsNeeded, approvals, timeline }: OrderDetailParts,
) {
  return {
    ...orderView(order, payout, confirmationsNeeded),
    ...(approvals && { approvals }),
    ...(charge && { charge: chargeView(links, charge) }),
    timeline: timeline.map(({ at, event, holdReason }) => ({
      at: at.toISOString(),
      event,
      ...(holdReason !== undefined && { holdReason }),
    })),
  };
}

/** The object of an event. Numbers are written digit for digit. */
export function orderView(order: Order, payout?: Payout, confirmationsNeeded?: number) {
  const fee = formatUnits(order.feeCents, CENT_DECIMALS);
  const { externalId, chargeId, quote, hold, lastError, ended, repricedAt, waitsSince, approval, settledAs } = order;
  return {
    transactionId: order.id,
    status: order.status,
    quantity: exactNumber(order.quantity),
    cost: exactNumber(order.cost),
    price: exactNumber(order.price),
    network: order.network,
    symbol: order.symbol,
    currency: order.currency,
    walletId: order.walletId,
    walletAddress: order.walletAddress,
    walletName: order.walletName,
    settlementSchedule: order.settlementSchedule,
    settlementDate: order.settlementDate.toISOString(),
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
    accountId: order.accountId,
    ...(externalId !== undefined && { externalId }),
    fee: exactNumber(fee),
    exact: { quantity: order.quantity, cost: order.cost, price: order.price, fee },
    ...(quote && { quote: quoteView(quote) }),
    ...(chargeId !== undefined && { chargeId }),
    ...(repricedAt && { repricedAt: repricedAt.toISOString() }),
    ...(payout && { transfer: transferView(payout, confirmationsNeeded) }),
    ...(settledAs !== undefined && { settledAs }),
    ...(approval && { approvedAt: approval.at.toISOString() }),
    ...(waitsSince && { waitingSince: waitsSince.toISOString() }),
    ...(hold && { holdReason: hold.reason, heldAt: hold.at.toISOString() }),
    ...(lastError !== undefined && { lastError }),
    ...(ended && { endedAs: ended.as, endedAt: ended.at.toISOString() }),
  };
}

function quoteView({ id, source, priceAt, expiresAt }: NonNullable<Order['quote']>) {
  return {
    ...(id !== undefined && { id }),
    source,
    priceAt: priceAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}

/** The hash is that of the attempt that the chain shows, else of the newest signed one. */
function transferView(payout: Payout, needed: number | undefined) {
  const { hash, attempts, confirmations, sender, state, voidRequestedAt } = payout;
  const newest = hash ?? attempts.at(-1)?.hash;
  return {
    state,
    sender,
    ...(newest !== undefined && { hash: newest }),
    confirmations,
    ...(needed !== undefined && { confirmationsNeeded: needed }),
    ...(voidRequestedAt && { voidRequestedAt: voidRequestedAt.toISOString() }),
  };
}
