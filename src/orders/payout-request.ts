// The payout that an order asks for.
import type { Waiting } from '../payouts/owner.ts';
import type { PayoutRequest } from '../payouts/payout.ts';
import type { Order } from './order.ts';
import { unitsOf } from './write.ts';

export function requestOf(order: Order): PayoutRequest {
  const { accountId, id: ownerId, network, symbol, walletAddress: destination } = order;
  const requestedBy = order.repricedBy ?? order.createdBy;
  const request = { accountId, ownerId, network, symbol, units: unitsOf(order), destination };
  return { ...request, ...(requestedBy !== undefined && { requestedBy }) };
}

/** For an order that stands in line. */
export function waitingOf(order: Order): Waiting {
  const { walletId, createdAt: ownerMadeAt, waitsSince = new Date(0), lastError } = order;
  const waiting = { request: requestOf(order), walletId, ownerMadeAt, waitsSince };
  return { ...waiting, ...(lastError !== undefined && { lastError }) };
}
