// Blocks the address of a wallet for payouts, or lifts the block.
import { NETWORKS } from '../../chains/asset.ts';
import type { Queue } from '../../jobs/queue.ts';
import { withoutAuditContext } from '../../lib/audit-context.ts';
import { type ApproveDeps, blockWallet } from '../../wallets/approve.ts';
import type { Actor, Wallet } from '../../wallets/wallet.ts';
import { waitForClaims, wakeUnsigned } from '../line/after-claims.ts';

type Deps = ApproveDeps & { readonly queue: Queue };

/**
 * Once a block returns, no payout to the address takes a slot, on any network, and nothing is signed for a slot without a signature. A
 * repeat waits in the same way, since the first request may have been cut off.
 *
 * @example
 * await blockPayee(deps, wallet.id, { by: 'operator', isBlocked: true });
 */
export async function blockPayee(
  deps: Deps,
  id: string,
  change: { readonly by: Actor; readonly isBlocked: boolean },
): Promise<Wallet> {
  const wallet = await blockWallet(deps, id, change);
  if (change.isBlocked) await waitForClaims(deps, NETWORKS);
  else await withoutAuditContext(() => deps.db.transaction(tx => wakeUnsigned(deps, tx, NETWORKS)));
  return wallet;
}
