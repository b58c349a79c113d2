// Makes the order of a charge that is paid already: its money buys crypto at the price of now. So no price is locked while a payer takes
// days to pay. Two steps, because a price and a screening service are asked with no transaction open.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Charge } from '../charges/charge.ts';
import { setOrderOf } from '../charges/store/order.ts';
import { insertEvents } from '../events/store.ts';
import type { Tracing } from '../lib/tracing.ts';
import { makeQuote } from '../quotes/create.ts';
import type { Quote } from '../quotes/quote.ts';
import { insertQuote } from '../quotes/store.ts';
import type { Sql } from '../storage/database.ts';
import { shareTraces } from '../storage/object-traces.ts';
import { type BuyDeps, buildOrder, requireAnyNetwork, takeWallet } from './buy.ts';
import { catchUp, type FollowDeps } from './follow.ts';
import type { Order, SettlementSchedule } from './order.ts';
import { insertOrder, recordQuoteUse } from './store.ts';
import { orderEvent } from './write.ts';

export type PaidOrderDeps = BuyDeps & FollowDeps & { readonly tracing?: Tracing | undefined };

type Purchase = {
  readonly accountId: string;
  readonly symbol: AssetSymbol;
  readonly network: Network;
  readonly walletId: string;
  /** What is paid for it, in cents of reais. */
  readonly amountCents: bigint;
};

/** Such an order as it could be made now, with its price. Refuses what `createOrder` refuses. */
export async function requirePurchase(deps: BuyDeps, { amountCents, ...asked }: Purchase) {
  requireAnyNetwork(deps.chains);
  const { symbol, network, accountId } = asked;
  const wallet = await takeWallet(deps, asked, network);
  const request = { accountId, symbol, network, currency: 'BRL', wanted: { costCents: amountCents } } as const;
  return { quote: await makeQuote(deps, request), wallet };
}

/** An order that is not written yet. */
type Prepared = { readonly order: Order; readonly quote: Quote };

type Terms = Omit<Purchase, 'amountCents'> & {
  readonly settlementSchedule: SettlementSchedule;
  /** Who asked for it: they do not approve it. */
  readonly createdBy: string | undefined;
};

/** Prices the order of a charge in reais. Its cost is the amount of the charge: fine, interest and an excess buy nothing. */
export async function prepareOrderOf(deps: BuyDeps, charge: Charge, terms: Terms): Promise<Prepared> {
  const { amountCents, payableCents, id: chargeId } = charge;
  const { quote, wallet } = await requirePurchase(deps, { ...terms, amountCents });
  const order = buildOrder(deps, terms, quote, wallet, deps.clock.now());
  return { order: { ...order, chargeId, dueCents: payableCents }, quote };
}

/** Writes it and takes its first steps. The caller holds the lock of the charge, and knows that no order was made of it. */
export async function writeOrderOf(deps: PaidOrderDeps, tx: Sql, { order, quote }: Prepared, charge: Charge) {
  await insertQuote(tx, quote);
  await insertOrder(tx, order);
  await recordQuoteUse(tx, quote.id, order);
  await setOrderOf(tx, charge, order.id);
  await shareTraces(deps, tx, [{ from: charge.id, to: order.id }]);
  await insertEvents(tx, [orderEvent(order, 'pending_payment', order.createdAt)]);
  await catchUp(deps, tx, order.id);
}
