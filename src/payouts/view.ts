// A payout as the API and the command line show it: everything except the signed bytes.
import { coinOf, decimalsOf } from '../chains/networks.ts';
import { formatUnits } from '../lib/decimals.ts';
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import type { Payout } from './payout.ts';
import { type PayoutsQuery, readPayoutPage } from './store/list.ts';

export async function listPayouts({ db }: { readonly db: Sql }, query: PayoutsQuery) {
  const { payouts, total } = await readPayoutPage(db, query);
  return { payouts: payouts.map(payoutView), ...countPages(total, query) };
}

export function payoutView(payout: Payout) {
  const { ownerId, network, symbol, hash, block, feeUnits, leftUnits, voidRequestedAt, lastSighting } = payout;
  const amount = (units: bigint) => formatUnits(units, decimalsOf(symbol, network));
  const coin = coinOf(network);
  return {
    id: payout.id,
    purpose: purposeOf(payout),
    ...(ownerId !== undefined && { transactionId: ownerId }),
    accountId: payout.accountId,
    state: payout.state,
    network,
    symbol,
    quantity: amount(payout.units),
    destination: payout.destination,
    sender: payout.sender,
    nonce: String(payout.nonce),
    confirmations: payout.confirmations,
    ...(hash !== undefined && { hash }),
    ...(block && { block }),
    ...(feeUnits !== undefined && { networkFee: { amount: formatUnits(feeUnits, coin.decimals), coin: coin.symbol } }),
    ...(leftUnits !== undefined && { leftQuantity: amount(leftUnits) }),
    ...(lastSighting !== undefined && { lastSighting }),
    ...(voidRequestedAt && { voidRequestedAt: voidRequestedAt.toISOString() }),
    attempts: payout.attempts.map(({ number, kind, hash: attempted, signedAt }) => ({
      number,
      kind,
      hash: attempted,
      signedAt: signedAt.toISOString(),
    })),
    createdAt: payout.createdAt.toISOString(),
    updatedAt: payout.updatedAt.toISOString(),
  };
}

function purposeOf({ ownerId, isGapFill, isTopUp }: Payout) {
  if (ownerId !== undefined) return 'order' as const;
  if (isTopUp) return 'top_up' as const;
  return isGapFill ? ('gap_fill' as const) : ('cold_sweep' as const);
}
