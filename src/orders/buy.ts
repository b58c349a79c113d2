// What every new order needs before it is written: a connected network, a wallet that may receive, and the order at a price.
import type { Network } from '../chains/asset.ts';
import type { Chains } from '../chains/chain.ts';
import { formatUnits } from '../lib/decimals.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { MakeQuoteDeps } from '../quotes/create.ts';
import type { Quote } from '../quotes/quote.ts';
import { requireOrderable, type WalletGateDeps } from '../wallets/gate.ts';
import { findWallet } from '../wallets/store.ts';
import type { Wallet } from '../wallets/wallet.ts';
import type { Order, SettlementSchedule } from './order.ts';
import { type SettlementRules, settlementAt } from './settlement.ts';

export type BuyDeps = MakeQuoteDeps &
  WalletGateDeps & { readonly chains: Chains; readonly settlement: SettlementRules };

/** Check this before the price: a price would not help. */
export function requireAnyNetwork(chains: Chains): void {
  if (Object.keys(chains).length > 0) return;
  throw new AppError('not_configured', 'No network is connected: set TRILHO_CHAINS, see docs/payouts.md.');
}

type WalletOf = { readonly accountId: string; readonly walletId: string };

/** The wallet, if the account may order to it now on this network. */
export async function takeWallet(deps: BuyDeps, { accountId, walletId }: WalletOf, network: Network): Promise<Wallet> {
  const wallet = await findWallet(deps.db, walletId, { accountId });
  if (!wallet)
    throw invalidRequest([{ path: 'walletId', code: 'unknown', message: 'is not a wallet of this account' }]);
  if (wallet.network !== network) {
    const message = `is on ${wallet.network}, not on ${network}`;
    throw invalidRequest([{ path: 'walletId', code: 'other_network', message }]);
  }
  if (!deps.chains[network])
    throw refused('network', 'no_chain', 'cannot be paid out to: no chain is connected to this service for it');
  await requireOrderable(deps, wallet);
  return wallet;
}

export function refused(path: string, code: string, message: string): AppError {
  return new AppError('order_refused', `${path} ${message}.`, { faults: [{ path, code, message }] });
}

type Terms = {
  readonly accountId: string;
  readonly externalId?: string;
  readonly settlementSchedule: SettlementSchedule;
  readonly createdBy: string | undefined;
};

export function buildOrder(
  deps: Pick<BuyDeps, 'settlement'>,
  { accountId, externalId, settlementSchedule, createdBy }: Terms,
  quote: Quote,
  wallet: Wallet,
  now: Date,
): Order {
  return {
    id: uuidV7(now),
    accountId,
    status: 'pending_payment',
    symbol: quote.symbol,
    network: quote.network,
    quantity: formatUnits(quote.units, quote.decimals),
    cost: formatUnits(quote.costCents, 2),
    price: quote.price,
    currency: quote.currency,
    walletId: wallet.id,
    walletAddress: wallet.address,
    walletName: wallet.name,
    settlementSchedule,
    // The planned date, as if the order were paid now.
    settlementDate: settlementAt(settlementSchedule, now, deps.settlement),
    createdAt: now,
    updatedAt: now,
    feeCents: quote.feeCents,
    quote: { id: quote.id, source: quote.source, priceAt: quote.priceAt, expiresAt: quote.expiresAt },
    eventCount: 1,
    ...(externalId !== undefined && { externalId }),
    ...(createdBy !== undefined && { createdBy }),
  };
}
