// What a subscription that buys crypto needs: a wallet, and an order that could be made now.
import { AppError, type Fault } from '../../lib/errors.ts';
import type { BuyDeps } from '../../orders/buy.ts';
import { requirePurchase } from '../../orders/order-of-paid.ts';
import { buysCrypto, type Terms } from '../plans/plan.ts';

/** A wallet is named where the plan buys crypto, and only there. */
export function checkWallet(terms: Terms, walletId: string | undefined): Fault[] {
  if (buysCrypto(terms) === (walletId !== undefined)) return [];
  const [code, message] = buysCrypto(terms)
    ? ['required', 'is required, as the plan buys crypto']
    : ['buys_nothing', 'must be absent, as the plan buys no crypto'];
  return [{ path: 'walletId', code, message }];
}

/** Refuses what an order would refuse now: its wallet, its network, and an amount below the minimum. Asks for a price. */
export async function requireBuyable(
  deps: BuyDeps,
  terms: Terms,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string | undefined },
): Promise<void> {
  if (!buysCrypto(terms) || walletId === undefined) return;
  const { symbol, network, amountCents } = terms;
  try {
    await requirePurchase(deps, { accountId, walletId, symbol, network, amountCents });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const faults = error.faults.map(fault => ({ ...fault, path: FIELDS[fault.path] ?? fault.path }));
    throw new AppError(error.code, error.message, { faults, cause: error });
  }
}

/** The fields of an order, as a subscription names them. */
const FIELDS: Readonly<Record<string, string>> = { cost: 'amountCents', network: 'planId' };
